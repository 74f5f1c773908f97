// The long specs of adapters, core, host and plugins.
import { run } from '../suites.ts';

await run('whole/adapters');
