// The HTTP specs of the server's own routes, and of behaviour that several plugins share.
import { run } from './suites.ts';

await run('api-system');
