// The program as it is run, where no database makes a difference.
import { run } from './suites.ts';

await run('bin-once');
