// Every operation once on the embedded database.
import { run } from '../suites.ts';

await run('whole/walk');
