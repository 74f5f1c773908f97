// The program as its operator runs and upgrades it, on PostgreSQL.
import { run } from '../suites.ts';

await run('whole/bin-running');
