// The matrix of delegated administration, in memory.
import { run } from '../suites.ts';

await run('whole/delegation');
