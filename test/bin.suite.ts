// The program as it is run: whole servers as child processes.
import { run } from './suites.ts';

await run('bin');
