// The HTTP specs of the search.
import { run } from './suites.ts';

await run('api-search');
