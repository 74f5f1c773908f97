// The HTTP specs of the OAuth2 and OpenID Connect server.
import { run } from './suites.ts';

await run('api-oauth-server');
