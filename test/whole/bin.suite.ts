// Whole servers as child processes, on PostgreSQL.
import { run } from '../suites.ts';

await run('whole/bin');
