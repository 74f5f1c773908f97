// The HTTP specs of the audit log.
import { run } from './suites.ts';

await run('api-audit');
