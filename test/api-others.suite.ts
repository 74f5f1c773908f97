// The HTTP specs of the smaller areas.
import { run } from './suites.ts';

await run('api-others');
