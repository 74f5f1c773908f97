// The HTTP specs of merge requests.
import { run } from './suites.ts';

await run('api-merges');
