// One start of the program, as a user does it.
import { run } from './suites.ts';

await run('start');
