// The HTTP specs of settings.
import { run } from './suites.ts';

await run('api-settings');
