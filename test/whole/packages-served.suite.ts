// Packages of plugins, installed and served.
import { run } from '../suites.ts';

await run('whole/packages-served');
