// Adapters and the contract suites they run.
import { run } from './suites.ts';

await run('adapters');
