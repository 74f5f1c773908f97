// The host, its configuration and the command line.
import { run } from './suites.ts';

await run('host');
