// The storage adapters: memory, the embedded database and PostgreSQL.
import { run } from './suites.ts';

await run('adapters-storage');
