// Starts, upgrades and crashes of whole servers on the embedded database.
import { run } from '../suites.ts';

await run('whole/bin-embedded');
