// Tests of access that is lost during a request: a real push and a file write are delayed until the access is lost.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as send, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { temporaryFolder } from '#test/support/folder';
import { startTestForge, type TestForge, type TestUser } from '#test/support/forge';
import { holdRefs, refsHeld } from '#test/support/held-refs';
import { holdingProxy } from '#test/support/servers/holding-proxy';
import { thorough } from '#test/support/marks';
import { sharedForge } from '#test/support/shared-forge';
import { remote, stockGit, workTree } from '#test/support/servers/stock-git';
import { makeApp, paths, tokensFor, type App } from '../oauth-server/flow.ts';

const repos = '/api/v1/repos';
const passwordAuth = '/api/v1/admin/settings/git.password_auth';

/** Bob, who may write to a public repository of alice's, and his credentials. */
interface Scene {
  readonly forge: TestForge;
  readonly alice: TestUser;
  readonly bob: TestUser;
  readonly admin: Client;
  readonly repo: string;
  /** The id of bob's token. */
  readonly tokenId: string;
  /** Owns the application of bob's OAuth2 token. */
  readonly carol: TestUser;
  readonly app: App;
}

interface Loss {
  readonly what: string;
  readonly by: 'password' | 'token' | 'session' | 'oauth';
  lose(scene: Scene): Promise<{ readonly status: number }>;
  /** Restores the access, if others than bob lose it too. */
  regain?(scene: Scene): Promise<unknown>;
  readonly told: RegExp;
}

const credential = /your credential is not valid any more/;
const gone = /the repository is not here any more, or not yours to see/;
const losses: readonly Loss[] = [
  {
    what: 'the account is suspended',
    by: 'token',
    lose: ({ admin, bob }) => admin.patch(`/api/v1/admin/users/${bob.id}`, { body: { is_active: false } }),
    told: credential,
  },
  {
    what: 'the token is deleted',
    by: 'token',
    lose: ({ bob, tokenId }) => bob.client.delete(`/api/v1/user/tokens/${tokenId}`),
    told: credential,
  },
  {
    what: 'the session is ended',
    by: 'session',
    lose: ({ bob }) => bob.client.post('/api/v1/auth/logout'),
    told: credential,
  },
  {
    what: 'the password is changed',
    by: 'password',
    lose: ({ bob }) =>
      bob.client.post('/api/v1/user/password', {
        body: { current_password: bob.password, new_password: 'another password' },
      }),
    told: credential,
  },
  {
    what: 'the collaborator is removed and the repository is made private',
    by: 'password',
    async lose({ alice, bob, repo }) {
      await alice.client.delete(`${repos}/alice/${repo}/collaborators/${bob.username}`);
      return alice.client.patch(`${repos}/alice/${repo}`, { body: { visibility: 'private' } });
    },
    told: gone,
  },
  {
    what: 'the role becomes read',
    by: 'token',
    lose: ({ alice, bob, repo }) =>
      alice.client.put(`${repos}/alice/${repo}/collaborators/${bob.username}`, { body: { role: 'read' } }),
    told: /you may not push here any more/,
  },
  {
    what: 'the grant to the application is deleted',
    by: 'oauth',
    lose: ({ bob, app }) => bob.client.delete(`${paths.grants}/${app.clientId}`),
    told: credential,
  },
  {
    what: 'the application is suspended',
    by: 'oauth',
    lose: ({ admin, app }) => admin.post(`${paths.adminApps}/${app.id}/suspend`),
    told: credential,
  },
  {
    what: 'the owner of the application is suspended',
    by: 'oauth',
    lose: ({ admin, carol }) => admin.patch(`/api/v1/admin/users/${carol.id}`, { body: { is_active: false } }),
    told: credential,
  },
  {
    what: 'the repository is renamed',
    by: 'session',
    lose: ({ alice, repo }) => alice.client.patch(`${repos}/alice/${repo}`, { body: { name: `${repo}-moved` } }),
    told: gone,
  },
  {
    what: 'passwords are disabled for git',
    by: 'password',
    lose: ({ admin }) => admin.put(passwordAuth, { body: { value: 'false' } }),
    regain: ({ admin }) => admin.put(passwordAuth, { body: { value: 'true' } }),
    told: credential,
  },
];

void t.test('access that is lost during a request', async (t) => {
  const forge = await sharedForge(t);
  const alice = await forge.createUser('alice');
  const admin = await forge.administrator();
  // Called after a delayed request was sent. Requests pass the access decision in the order of their arrival, so the
  // delayed one has passed it when these are answered.
  const letIn = async (): Promise<void> => {
    for (let time = 0; time < 4; time += 1) await alice.client.get('/api/v1/user');
  };
  const proxy = await holdingProxy(t, forge.url, (path) => /git-receive-pack$|\/contents\//.test(path), letIn);
  const work = await workTree(await stockGit(t), 'work');
  const tip = await work.commit('One', { 'README.md': 'one' });

  const setScene = async (name: string): Promise<Scene & { readonly secret: Record<Loss['by'], string> }> => {
    const repo = `repo-${name}`;
    const bob = await forge.createUser(`bob-${name}`);
    await alice.client.post(repos, { body: { name: repo, visibility: 'public' } });
    await work.git('push', '--quiet', remote(forge.url, `alice/${repo}`, alice), 'main');
    await alice.client.put(`${repos}/alice/${repo}/collaborators/${bob.username}`, { body: { role: 'write' } });
    const made = (await bob.client.post('/api/v1/user/tokens', { body: { name: 'push', scopes: ['repo:write'] } }))
      .body;
    const { id: tokenId, token } = made as { id: string; token: string };
    const { token: session } = await forge.signIn(bob.username, bob.password);
    const client = Object.assign(forge.as(session), {});
    const carol = await forge.createUser(`carol-${name}`);
    const app = await makeApp(carol.client, { scopes: ['write:repo'] });
    const { access_token: oauth } = await tokensFor(forge, client, app, { scope: 'write:repo' });
    return {
      forge,
      alice,
      bob: { ...bob, client },
      admin,
      repo,
      tokenId,
      carol,
      app,
      secret: { password: bob.password, token, session, oauth },
    };
  };
  const refsOf = async (repo: string): Promise<string[]> =>
    (await work.git('ls-remote', '--refs', remote(forge.url, `alice/${repo}`, alice))).trim().split('\n');

  for (const [index, { what, by, lose, regain, told }] of losses.entries()) {
    await t.test(`a push by ${by} moves nothing when ${what} before it ends`, async (t) => {
      const scene = await setScene(String(index));
      const { bob, repo, secret } = scene;
      const url = remote(proxy.url, `alice/${repo}`, { username: bob.username, password: secret[by] });
      proxy.meanwhile = async () => t.match((await lose(scene)).status, /^20[014]$/);
      const { code, stderr } = await work.ran('push', url, 'main:other', 'main:refs/tags/v1');
      await regain?.(scene);
      t.equal(proxy.meanwhile, undefined);
      t.not(code, 0);
      t.match(stderr, told);
      t.match(stderr, /\[remote rejected\] main -> other/);
      const now = what.includes('renamed') ? `${repo}-moved` : repo;
      t.strictSame(await refsOf(now), [`${tip}\trefs/heads/main`]);
    });
  }

  await t.test('a slow push succeeds if its caller keeps access', async (t) => {
    const { bob, repo, secret } = await setScene('kept');
    const url = remote(proxy.url, `alice/${repo}`, { username: bob.username, password: secret.password });
    proxy.meanwhile = async () => undefined;
    t.equal((await work.ran('push', url, 'main:other')).code, 0);
    t.equal((await refsOf(repo)).length, 2);
  });

  await thorough(t).test(
    'when access is lost while the refs of a push are moved, no further ref is moved',
    async (t) => {
      const scene = await setScene('long');
      const { bob, repo, secret } = scene;
      const held = join(await temporaryFolder(t), 'held');
      const url = remote(proxy.url, `alice/${repo}`, { username: bob.username, password: secret.password });
      proxy.meanwhile = () => holdRefs(join(forge.dataDir, 'repositories'), 'refs/heads/b', held);
      const pushing = work.ran('push', url, 'main:a', 'main:b', 'main:c');
      await refsHeld(held);
      await alice.client.delete(`${repos}/alice/${repo}/collaborators/${bob.username}`);
      const { code, stderr } = await pushing;
      t.not(code, 0);
      t.match(stderr, /\[new branch\] +main -> a/);
      t.match(stderr, /\[remote rejected\] main -> b \(you may not push here any more\)/);
      t.match(stderr, /\[remote rejected\] main -> c \(you may not push here any more\)/);
      t.strictSame(await refsOf(repo), [`${tip}\trefs/heads/a`, `${tip}\trefs/heads/main`]);
    },
  );

  await t.test('a file with a slow body is not written if the caller lost access meanwhile', async (t) => {
    const scene = await setScene('file');
    const put = (path: string): Promise<Response> =>
      fetch(`${proxy.url}${repos}/alice/${scene.repo}/contents/${path}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${scene.secret.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ message: 'A file', content: '' }),
      });
    proxy.meanwhile = async () => undefined;
    t.equal((await put('kept')).status, 201);
    const [{ lose } = { lose: async () => ({ status: 0 }) }] = losses;
    proxy.meanwhile = () => lose(scene);
    t.equal((await put('lost')).status, 401);
    t.equal((await alice.client.get(`${repos}/alice/${scene.repo}/contents/lost`)).status, 404);
  });
});

/** Reads an answer up to some bytes, runs `meanwhile`, and reads the rest. @returns whether the answer was complete. */
async function readInParts(
  url: string,
  path: string,
  headers: Record<string, string>,
  body: string | undefined,
  meanwhile: () => Promise<unknown>,
): Promise<boolean> {
  const message = send(new URL(path, url), { method: body === undefined ? 'GET' : 'POST', headers, agent: false });
  message.end(body);
  const [answer] = (await once(message, 'response')) as [IncomingMessage];
  let read = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (read === 0) await meanwhile();
      read += chunk.length;
    }
    return answer.statusCode === 200 && answer.complete;
  } catch {
    return false;
  }
}

void thorough(t).test('an answer that is read slowly is cut off when access is lost', async (t) => {
  const forge = await startTestForge(t, { recheckMs: 0 });
  const alice = await forge.createUser('alice');
  const { token } = await forge.pat(alice.client, ['repo:read']);
  const work = await workTree(await stockGit(t), 'work');
  // More than the buffers of two sockets hold.
  const tip = await work.commit('Large', { 'large.bin': randomBytes(16 * 1024 * 1024) });
  await alice.client.post(repos, { body: { name: 'large', visibility: 'public' } });
  await work.git('push', '--quiet', remote(forge.url, 'alice/large', alice), 'main');
  const line = (text: string): string => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
  const answers: readonly (readonly [string, string, string | undefined])[] = [
    ['raw', `${repos}/alice/large/raw/main/large.bin`, undefined],
    ['an archive', `${repos}/alice/large/archive/main.tar.gz`, undefined],
    ['a fetch', '/alice/large.git/git-upload-pack', `${line(`want ${tip} no-progress\n`)}0000${line('done\n')}`],
  ];
  const visibility = (to: string) => alice.client.patch(`${repos}/alice/large`, { body: { visibility: to } });
  for (const [what, path, body] of answers) {
    const headers = body === undefined ? undefined : { 'content-type': 'application/x-git-upload-pack-request' };
    t.equal(await readInParts(forge.url, path, { ...headers }, body, () => visibility('private')), false, what);
    await visibility('public');
  }
  const [, raw] = answers[0] ?? [];
  const { items } = (await alice.client.get('/api/v1/user/tokens')).body as { items: { id: string }[] };
  t.equal(
    await readInParts(forge.url, raw ?? '', {}, undefined, async () => undefined),
    true,
    'it is complete if access is kept',
  );
  t.equal(
    await readInParts(forge.url, raw ?? '', { authorization: `Bearer ${token}` }, undefined, () =>
      alice.client.delete(`/api/v1/user/tokens/${items[0]?.id}`),
    ),
    false,
    'a token that is deleted',
  );
  const [, , [, path, body] = []] = answers;
  const admin = await forge.administrator();
  const headers = {
    authorization: `Basic ${Buffer.from(`alice:${alice.password}`).toString('base64')}`,
    'content-type': 'application/x-git-upload-pack-request',
  };
  t.equal(
    await readInParts(forge.url, path ?? '', headers, body, () =>
      admin.put(passwordAuth, { body: { value: 'false' } }),
    ),
    false,
    'a fetch by password, when passwords are disabled for git',
  );
});
