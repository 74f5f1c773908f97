// The published package: built, packed and installed elsewhere.
import { run } from '../suites.ts';

await run('whole/packages');
