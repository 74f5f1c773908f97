// The git adapter.
import { run } from './suites.ts';

await run('adapters-git');
