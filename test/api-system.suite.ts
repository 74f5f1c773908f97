// The HTTP specs of what the server itself answers, and of what belongs to no plugin alone.
import { run } from './suites.ts';

await run('api-system');
