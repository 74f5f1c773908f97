// Credentials of instance administrators that were valid and have ended or expired, in every way.
import type { DatabaseDoor } from '#test/support/servers/database-door';
import type { TestForge } from '#test/support/forge';
import { endings, signIn, widestPat } from './endings.ts';
import { expected, makeApp, tokensFor } from './flow.ts';
import { oauthScopes } from './scope-table.ts';

const past = `expires_at = now() - interval '1 second'`;
/** Expired credential → the statement that makes the credentials of a user expire. */
const late = {
  'a session past its time': `update identity_session set ${past} where user_id = $1`,
  'a personal access token past its time': `update identity_token set ${past} where user_id = $1`,
  'an OAuth2 token past its time': `update oauth_server_access_token set ${past} where family_id in (
    select family.id from oauth_server_family family join oauth_server_grant g on g.id = family.grant_id
    where g.user_id = $1)`,
} as const;

/**
 * Description → token. Each token was valid before it was ended.
 * @throws {Error} if one was not.
 */
export async function endedCredentials(forge: TestForge, door: DatabaseDoor): Promise<ReadonlyMap<string, string>> {
  const { username, password } = forge.admin;
  const session = await signIn(forge, username, password);
  const all = await endings(forge, session);
  const { id, client } = await forge.createUser('late', { isAdmin: true });
  const app = await makeApp(client, { scopes: oauthScopes });
  const issued = await tokensFor(forge, client, app, { scope: oauthScopes.join(' ') });
  const lateTokens = [
    await signIn(forge, 'late', 'password of late'),
    (await widestPat(client)).token,
    issued.access_token,
  ];
  const ended = new Map([
    ...all.flatMap(({ what, credentials }) =>
      Object.entries(credentials).map(([which, token]): [string, string] => [`${which} of ${what}`, token]),
    ),
    ...Object.keys(late).map((what, index): [string, string] => [what, lateTokens[index] ?? '']),
  ]);
  for (const [what, token] of ended)
    expected(await forge.as(token).get('/api/v1/auth/me'), 200, `${what}, before it was ended,`);
  for (const { end } of all) await end(forge);
  for (const statement of Object.values(late)) await door.run(statement, [id]);
  return new Map([...ended, ['a refresh token', issued.refresh_token]]);
}
