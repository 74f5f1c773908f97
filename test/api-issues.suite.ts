// The HTTP specs of issues.
import { run } from './suites.ts';

await run('api-issues');
