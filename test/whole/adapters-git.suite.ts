// The long specs of the git adapter.
import { run } from '../suites.ts';

await run('whole/adapters-git');
