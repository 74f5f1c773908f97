// Whole servers as child processes.
import { run } from './suites.ts';

await run('process');
