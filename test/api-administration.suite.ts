// The HTTP specs of the administration of the instance.
import { run } from './suites.ts';

await run('api-administration');
