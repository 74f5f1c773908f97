// The HTTP suites, and last the comparison with the OpenAPI document.
import { run } from './suites.ts';

await run('api');
