// The reader of access tokens decides by the current state of both accounts, that of the user and that of the owner of
// the application: the plugin may have been disabled when one of them was suspended.
import t from 'tap';
import { sha256Digests } from '#adapters/crypto/oauth';
import { systemIds } from '#adapters/system/time';
import { accessTokens, type AccessGrant } from '#core/oauth/model/grant';
import type { OAuthParts } from '#core/oauth/model/parts';
import { accessTokenReader } from '#core/oauth/tokens/reader';

const [user, owner] = ['user', 'owner'];
const now = new Date(0);

function reader(ownerId: string | null, active: readonly string[]) {
  const asked: (readonly string[])[] = [];
  const found = { id: 'token', userId: user, client: 'client', ownerId, scopes: ['read:user'], resource: '' };
  const parts = {
    digests: sha256Digests,
    issued: { accessTokenByHash: async () => found as unknown as AccessGrant },
    users: {
      active: async (ids: readonly string[]) => {
        asked.push(ids);
        return new Set(active);
      },
    },
    standing: () => ({
      of: async (id: string) =>
        active.includes(id) ? { kind: 'user', id, username: 'ada', isAdmin: false } : undefined,
    }),
  };
  const { read } = accessTokenReader(parts as unknown as Pick<OAuthParts, 'issued' | 'digests' | 'standing' | 'users'>);
  const token = accessTokens.mint(systemIds);
  return { read: () => read(token, now), asked };
}

void t.test('a token of an application whose owner is suspended is rejected', async (t) => {
  t.match(await reader(owner, [user, owner]).read(), { id: user });
  t.equal(await reader(owner, [user]).read(), undefined, 'the owner is suspended');
  t.equal(await reader(owner, [owner]).read(), undefined, 'the user is suspended');
});

void t.test('an application without an owner, and one of the user, need no further read', async (t) => {
  for (const id of [null, user]) {
    const { read, asked } = reader(id, [user]);
    t.match(await read(), { id: user });
    t.strictSame(asked, []);
  }
});
