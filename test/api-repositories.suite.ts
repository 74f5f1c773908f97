// The HTTP specs of repositories.
import { run } from './suites.ts';

await run('api-repositories');
