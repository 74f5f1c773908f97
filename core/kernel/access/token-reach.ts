// Decides what a token reaches: the resource that it is bound to, and its user's rights as an administrator.
import type { Call, User } from '../caller.ts';
import { Forbidden } from '../errors.ts';

/** Whether the user was authenticated by a token, or is the bot of a plugin: not by a session or password. */
export const usesToken = ({ credential: { kind } }: User): boolean => kind !== 'session' && kind !== 'password';

/**
 * The scope by which a personal access token reaches the operations of an admin scope. OAuth2 tokens reach none.
 */
export const tokenScopeOf = (adminScope: string): 'admin:users' | 'admin:system' =>
  adminScope === 'admin:users' ? 'admin:users' : 'admin:system';

/**
 * Whether the admin scopes of the user count with their credential where the operation names no token scope for them: a
 * session, a password, or a personal access token with admin:system.
 */
export const administers = ({ credential: { kind, scopes } }: User): boolean =>
  kind !== 'oauth' && kind !== 'bot' && (scopes === 'all' || scopes.includes('admin:system'));

/**
 * Only OAuth2 tokens that are bound to the called protected resource are accepted there, and those without an audience
 * everywhere else.
 * @throws {Forbidden} `invalid_audience`.
 */
export function checkAudience({ caller, resource }: Call): void {
  if (caller.kind === 'anonymous') return;
  const { kind, audience } = caller.credential;
  if ((kind !== 'oauth' && audience === undefined) || audience === resource) return;
  throw new Forbidden(
    audience === undefined ? 'The token is bound to no resource' : 'The token is bound to another resource',
    { code: 'invalid_audience' },
  );
}
