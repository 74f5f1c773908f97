// The HTTP specs of rate limits.
import { run } from './suites.ts';

await run('api-limits');
