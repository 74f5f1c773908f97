// The HTTP specs of accounts, sessions, tokens and their administration.
import { run } from './suites.ts';

await run('api-identity');
