// The package as it is published: built, packed and installed elsewhere.
import { run } from '../suites.ts';

await run('whole/packages');
