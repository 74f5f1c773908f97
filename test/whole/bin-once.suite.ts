// Whole servers as child processes, where no database makes a difference.
import { run } from '../suites.ts';

await run('whole/bin-once');
