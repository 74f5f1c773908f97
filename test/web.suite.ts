// The pages of the web interface, read through HTTP.
import { run } from './suites.ts';

await run('web');
