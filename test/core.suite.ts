// Pure code, the house rules and the documents' examples.
import { run } from './suites.ts';

await run('core');
