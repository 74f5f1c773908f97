// The specs of git over HTTP, with the stock client.
import { run } from './suites.ts';

await run('api-git-http');
