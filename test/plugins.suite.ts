// Plugins and their stores.
import { run } from './suites.ts';

await run('plugins');
