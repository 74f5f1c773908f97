// Packages of plugins, as they are installed and served.
import { run } from '../suites.ts';

await run('whole/packages-served');
