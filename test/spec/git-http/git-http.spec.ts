// Tests of git over HTTP: the stock client against the server, and the edge cases of the protocol by hand.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { startTestForge, type TestForge, type TestUser } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';
import { remote, stockGit, workTree, type StockGit } from '#test/support/servers/stock-git';

const repos = '/api/v1/repos';
const zero = '0'.repeat(40);
const create = async (user: TestUser, body: object): Promise<void> => {
  const { status, text } = await user.client.post(repos, { body });
  if (status !== 201) throw new Error(`creating answered ${status}: ${text}`);
};
const refs = async (git: StockGit, url: string): Promise<string[]> =>
  (await git.git('ls-remote', url))
    .trim()
    .split('\n')
    .filter((line) => line !== '');
const branchOf = async (user: TestUser, name: string) =>
  ((await user.client.get(`${repos}/alice/${name}`)).body as { default_branch: string }).default_branch;
const pkt = (line: string): string => (line.length + 4).toString(16).padStart(4, '0') + line;

interface Stage {
  readonly forge: TestForge;
  readonly alice: TestUser;
  readonly work: StockGit;
  readonly url: string;
  readonly tip: string;
}

/** Alice's public repository `code` with three commits on main, one branch and one tag, pushed with her password. */
async function stage(t: { teardown(work: () => void | Promise<void>): unknown }): Promise<Stage> {
  const forge = await sharedForge(t);
  const alice = await forge.createUser('alice');
  await create(alice, { name: 'code', visibility: 'public' });
  const work = await workTree(await stockGit(t), 'work');
  for (const number of ['One', 'Two'])
    await work.commit(number, { 'README.md': `# ${number}\n`, [`src/${number}.txt`]: `${number}\n`.repeat(50) });
  const tip = await work.commit('Three', { 'README.md': '# Three\n' });
  await work.git('tag', '--annotate', '--message', 'v1', 'v1');
  await work.git('branch', 'side', 'HEAD~1');
  const url = remote(forge.url, 'alice/code', alice);
  await work.git('push', '--quiet', url, 'main', 'side', 'v1');
  return { forge, alice, work, url, tip };
}

void t.test('the stock client: every way to fetch', async (t) => {
  const { forge, work, tip } = await stage(t);
  const open = remote(forge.url, 'alice/code');
  const client = await stockGit(t);
  const count = async (folder: string) => Number((await client.at(folder).git('rev-list', '--count', '--all')).trim());
  const head = async (folder: string) => (await client.at(folder).git('rev-parse', 'HEAD')).trim();
  // The name, arguments before and after `clone`, and the expected number of commits.
  const cases = [
    ['protocol v2', ['-c', 'protocol.version=2'], [], 3],
    ['protocol v1', ['-c', 'protocol.version=1'], [], 3],
    ['protocol v0', ['-c', 'protocol.version=0'], [], 3],
    ['depth 1', [], ['--depth=1', '--no-single-branch'], 2],
    ['a single branch', [], ['--single-branch', '--branch=side', '--no-tags'], 2],
    ['a tag', [], ['--branch=v1'], 3],
    ['without blobs', [], ['--filter=blob:none', '--no-checkout'], 3],
    ['without blobs, then checked out', [], ['--filter=blob:none'], 3],
    ['bare', [], ['--bare'], 3],
    ['mirror', [], ['--mirror'], 3],
    ['shallow on v0', ['-c', 'protocol.version=0'], ['--depth=2'], 2],
    ['gzip request', ['-c', 'http.postBuffer=65536'], [], 3],
  ] as const;
  for (const [name, before, after, commits] of cases) {
    const folder = name.replaceAll(/\W+/g, '-');
    await client.git(...before, 'clone', '--quiet', ...after, open, folder);
    t.equal(await count(folder), commits, name);
    const result = await client.at(folder).ran('fsck', '--full');
    t.equal(result.code, 0, `${name}: fsck`);
  }
  t.equal(await head('protocol-v2'), tip);
  t.equal(
    (await client.at('without-blobs').git('rev-list', '--objects', '--all', '--missing=print'))
      .split('\n')
      .filter((line) => line.startsWith('?')).length > 0,
    true,
    'blobs were left out',
  );
  t.equal(await readFile(join(client.folder, 'without-blobs-then-checked-out', 'README.md'), 'utf8'), '# Three\n');

  const shallow = client.at('depth-1');
  await shallow.git('fetch', '--quiet', '--deepen=1');
  t.equal(await count('depth-1'), 3, 'deepened');
  await shallow.git('fetch', '--quiet', '--unshallow');
  t.equal((await shallow.git('rev-parse', '--is-shallow-repository')).trim(), 'false');

  await client.git('clone', '--quiet', open.replace(/\.git$/, ''), 'without-suffix');
  t.equal(await head('without-suffix'), tip, 'the .git is optional');
  await client.git('clone', '--quiet', remote(forge.url, 'ALICE/Code'), 'any-case');
  t.equal(await head('any-case'), tip);
  t.same(
    (await refs(client, open)).map((line) => line.split('\t')[1]),
    ['HEAD', 'refs/heads/main', 'refs/heads/side', 'refs/tags/v1', 'refs/tags/v1^{}'],
  );

  await work.git('commit', '--quiet', '--allow-empty', '--message', 'Four');
  await work.git(
    'push',
    '--quiet',
    remote(forge.url, 'alice/code', await forge.createUser('root', { isAdmin: true })),
    'main',
  );
  await client.at('protocol-v2').git('pull', '--quiet');
  t.equal(await head('protocol-v2'), (await work.git('rev-parse', 'main')).trim(), 'an incremental fetch');
});

void t.test('the stock client: every way to push', async (t) => {
  const { alice, work, url } = await stage(t);
  const oid = async (name: string) => (await work.git('rev-parse', name)).trim();
  const at = async (ref: string) => (await refs(work, url)).find((line) => line.endsWith(`\t${ref}`))?.slice(0, 40);

  const before = (await alice.client.get(`${repos}/alice/code`)).body as { updated_at: string };
  await work.commit('Large', { 'large.bin': randomBytes(3 * 1024 * 1024) });
  await work.git('push', '--quiet', url, 'main');
  t.equal(await at('refs/heads/main'), await oid('main'), 'over 1 MiB, chunked');
  const after = (await alice.client.get(`${repos}/alice/code`)).body as { updated_at: string };
  t.ok(after.updated_at > before.updated_at, 'updated_at changes with a push');

  await work.git('tag', 'light');
  await work.git('tag', '--annotate', '--message', 'Annotated', 'heavy');
  await work.git('push', '--quiet', url, '--tags');
  t.same([await at('refs/tags/light'), await at('refs/tags/heavy')], [await oid('light'), await oid('heavy')]);

  await work.git('push', '--quiet', url, '--delete', 'side', 'light');
  t.same([await at('refs/heads/side'), await at('refs/tags/light')], [undefined, undefined], 'deleted');

  await work.git('branch', 'rewritten', 'HEAD~1');
  await work.git('push', '--quiet', url, 'rewritten');
  await work.git('branch', '--force', 'rewritten', 'HEAD~2');
  t.not((await work.ran('push', '--quiet', url, 'rewritten')).code, 0, 'not a fast-forward');
  await work.git('push', '--quiet', '--force', url, 'rewritten');
  t.equal(await at('refs/heads/rewritten'), await oid('HEAD~2'), 'forced');

  await work.git('push', '--quiet', '--atomic', url, 'main:refs/heads/together-1', 'main:refs/heads/together-2');
  t.same(
    [await at('refs/heads/together-1'), await at('refs/heads/together-2')],
    [await oid('main'), await oid('main')],
    'atomic',
  );
  const mixed = await work.ran('push', '--atomic', url, 'main:refs/heads/whole', 'main:refs/hexforge/x');
  t.not(mixed.code, 0);
  t.equal(await at('refs/heads/whole'), undefined, 'an atomic push fails entirely');
  const partly = await work.ran('push', url, 'main:refs/heads/part', 'main:refs/hexforge/x');
  t.not(partly.code, 0);
  t.match(partly.stderr, /\[remote rejected\] main -> refs\/hexforge\/x/);
  t.equal(await at('refs/heads/part'), await oid('main'), 'the other ref was accepted');

  const last = await work.ran('push', url, '--delete', 'main');
  t.not(last.code, 0);
  t.match(last.stderr, /default branch cannot be deleted/);

  const name = 'Ordner mit Leer/größe & „maß“.txt';
  await work.commit('Names', { [name]: 'x' });
  await work.git('push', '--quiet', url, 'main', 'main:refs/heads/größe/ünïcode');
  t.equal(await at('refs/heads/größe/ünïcode'), await oid('main'));
  t.equal(
    (
      await alice.client.get(
        `${repos}/alice/code/raw/${encodeURIComponent('größe/ünïcode')}/${name.split('/').map(encodeURIComponent).join('/')}`,
      )
    ).text,
    'x',
  );

  await work.git('-c', 'protocol.version=0', 'push', '--quiet', url, 'main:refs/heads/v0');
  t.equal(await at('refs/heads/v0'), await oid('main'));
  await work.git('push', '--quiet', '--mirror', url).catch(() => undefined);
  t.equal((await work.ran('push', '--quiet', url, 'main')).code, 0, 'a push without changes succeeds');
});

void t.test(
  'an empty repository can be cloned, and the first push makes its branch the default if the default is missing',
  async (t) => {
    const forge = await sharedForge(t);
    const alice = await forge.createUser('alice');
    const git = await stockGit(t);
    for (const version of ['0', '2']) {
      await create(alice, { name: `empty-${version}` });
      const url = remote(forge.url, `alice/empty-${version}`, alice);
      await git.git('-c', `protocol.version=${version}`, 'clone', '--quiet', url, `empty-${version}`);
      const work = git.at(`empty-${version}`);
      await work.git('checkout', '--quiet', '-b', 'trunk');
      await work.commit('One', { a: 'a' });
      await work.git('push', '--quiet', url, 'trunk');
      t.equal(await branchOf(alice, `empty-${version}`), 'trunk');
      t.match(await work.git('ls-remote', '--symref', url, 'HEAD'), /^ref: refs\/heads\/trunk\tHEAD/);
      await work.git('push', '--quiet', url, 'trunk:main');
      t.equal(await branchOf(alice, `empty-${version}`), 'trunk', 'a later branch changes nothing');
      t.equal((await alice.client.get(`${repos}/alice/empty-${version}/contents/a`)).status, 200);
    }
  },
);

void t.test('who may fetch and push: 401, 403 and 404 by visibility, caller and credential', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob] = [await forge.createUser('alice'), await forge.createUser('bob')];
  for (const visibility of ['public', 'internal', 'private']) await create(alice, { name: visibility, visibility });
  const basic = (username: string, password: string) => ({
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const token = async (user: TestUser, ...scopes: string[]) => (await forge.pat(user.client, scopes)).token;
  const [aliceRead, aliceWrite, aliceIssue, bobRead, bobWrite] = [
    await token(alice, 'repo:read'),
    await token(alice, 'repo:write'),
    await token(alice, 'issue:read'),
    await token(bob, 'repo:read'),
    await token(bob, 'repo:write'),
  ];
  const all = (status: number) => [status, status, status, status];
  // Each row: the caller, its headers, and the statuses of the ref advertisement for a fetch and for a push, each on a
  // public, an internal, a private and a missing repository.
  const table: readonly (readonly [string, Record<string, string>, readonly number[], readonly number[]])[] = [
    ['anonymous', {}, [200, 401, 401, 401], all(401)],
    ['another user, password', basic('bob', bob.password), [200, 200, 404, 404], [403, 403, 404, 404]],
    ['another user, token', basic('bob', bobWrite), [200, 200, 404, 404], [403, 403, 404, 404]],
    ['another user, narrow token', basic('bob', bobRead), [200, 200, 404, 404], all(403)],
    ['owner, password', basic('alice', alice.password), [200, 200, 200, 404], [200, 200, 200, 404]],
    [
      'owner, password, name in another case',
      basic('ALICE', alice.password),
      [200, 200, 200, 404],
      [200, 200, 200, 404],
    ],
    ['owner, wide token', basic('alice', aliceWrite), [200, 200, 200, 404], [200, 200, 200, 404]],
    [
      'owner, wide token under any name',
      basic('x-oauth-token', aliceWrite),
      [200, 200, 200, 404],
      [200, 200, 200, 404],
    ],
    ['owner, wide token as bearer', bearer(aliceWrite), [200, 200, 200, 404], [200, 200, 200, 404]],
    ['owner, narrow token', basic('alice', aliceRead), [200, 200, 200, 404], all(403)],
    ['owner, narrow token as bearer', bearer(aliceRead), [200, 200, 200, 404], all(403)],
    ['owner, token without a repository scope', basic('alice', aliceIssue), all(403), all(403)],
    ['owner, such a token as bearer', bearer(aliceIssue), all(403), all(403)],
    ['wrong token', bearer('svc_wrong'), all(401), all(401)],
    ['nonsense', { authorization: 'Basic !!!' }, all(401), all(401)],
  ];
  const repositories = ['public', 'internal', 'private', 'missing'];
  for (const [who, headers, fetching, pushing] of table) {
    const statuses = async (
      path: (name: string) => string,
      method = 'GET',
      more: Record<string, string> = {},
      body?: string,
    ) =>
      Promise.all(
        repositories.map(async (name) => {
          const answer = await fetch(`${forge.url}/alice/${name}.git/${path(name)}`, {
            method,
            headers: { ...headers, ...more },
            ...(body === undefined ? {} : { body }),
          });
          await answer.arrayBuffer();
          if (answer.status === 401)
            t.equal(answer.headers.get('www-authenticate'), 'Basic realm="hexforge"', `${who}: the challenge`);
          return answer.status;
        }),
      );
    t.same(await statuses(() => 'info/refs?service=git-upload-pack'), fetching, `${who}: to fetch`);
    t.same(await statuses(() => 'info/refs?service=git-receive-pack'), pushing, `${who}: to push`);
    // The requests that transfer packs have the same statuses, even if no advertisement was requested before.
    t.same(
      await statuses(
        () => 'git-upload-pack',
        'POST',
        { 'content-type': 'application/x-git-upload-pack-request' },
        '0000',
      ),
      fetching,
      `${who}: fetches`,
    );
    t.same(
      await statuses(
        () => 'git-receive-pack',
        'POST',
        { 'content-type': 'application/x-git-receive-pack-request' },
        '0000',
      ),
      pushing,
      `${who}: pushes`,
    );
  }

  // Only a few of these, because the throttle rejects a name after ten failures.
  for (const [who, headers] of [
    ['wrong password', basic('alice', 'wrong')],
    ['empty password', basic('alice', '')],
    ['unknown user', basic('nobody', 'wrong')],
  ] as const) {
    for (const name of ['public', 'missing']) {
      const answer = await fetch(`${forge.url}/alice/${name}.git/info/refs?service=git-upload-pack`, { headers });
      t.same(
        [answer.status, answer.headers.get('www-authenticate')],
        [401, 'Basic realm="hexforge"'],
        `${who}: ${name}`,
      );
    }
  }

  const git = await workTree(await stockGit(t), 'work');
  await git.commit('One', { a: 'a' });
  t.match(
    (await git.ran('push', remote(forge.url, 'alice/public'), 'main')).stderr,
    /could not read Username|terminal prompts disabled|Authentication failed/,
  );
  t.match(
    (await git.ran('push', remote(forge.url, 'alice/public', { username: 'alice', password: 'wrong' }), 'main')).stderr,
    /Authentication failed/,
  );
  const refused = (await git.ran('push', remote(forge.url, 'alice/public', bob), 'main')).stderr;
  t.match(refused, /403/);
  t.match(refused, /remote: You may not do this here/, 'git shows the message');
  const narrow = (
    await git.ran('push', remote(forge.url, 'alice/public', { username: 'alice', password: aliceRead }), 'main')
  ).stderr;
  t.match(narrow, /remote: .*repo:write/s, 'git shows the missing scope');
  t.match((await git.ran('clone', remote(forge.url, 'alice/private', bob), 'x')).stderr, /not found/);
});

void t.test('passwords can be disabled for git; tokens still work', async (t) => {
  const forge = await startTestForge(t, { configuration: { settings: { 'git.password_auth': false } } });
  const alice = await forge.createUser('alice');
  for (const visibility of ['public', 'private']) await create(alice, { name: visibility, visibility });
  const { token } = await forge.pat(alice.client, ['repo:read']);
  const status = async (password: string, repo: string) =>
    (
      await fetch(`${forge.url}/alice/${repo}.git/info/refs?service=git-upload-pack`, {
        headers: { authorization: `Basic ${Buffer.from(`alice:${password}`).toString('base64')}` },
      })
    ).status;
  for (const repo of ['public', 'private', 'missing']) t.equal(await status(alice.password, repo), 401, repo);
  t.equal(await status(token, 'private'), 200);
});

void t.test('edge cases of the protocol', async (t) => {
  const { forge, alice, url, tip } = await stage(t);
  const authorization = `Basic ${Buffer.from(`alice:${alice.password}`).toString('base64')}`;
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${forge.url}/alice/code.git/${path}`, { headers });
  const post = (
    path: string,
    type: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) =>
    fetch(`${forge.url}/alice/code.git/${path}`, {
      method: 'POST',
      headers: { 'content-type': type, authorization, ...headers },
      body,
    });
  const uploadType = 'application/x-git-upload-pack-request';
  const want = `${pkt(`want ${tip} no-progress\n`)}0000${pkt('done\n')}`;

  await t.test('the advertisement has its content type, is never cached, and uses the requested version', async (t) => {
    for (const service of ['git-upload-pack', 'git-receive-pack']) {
      const answer = await get(`info/refs?service=${service}`, { authorization });
      t.same([answer.status, answer.headers.get('content-type')], [200, `application/x-${service}-advertisement`]);
      t.match(answer.headers.get('cache-control'), /no-cache/);
      t.ok((await answer.text()).startsWith(`${pkt(`# service=${service}\n`)}0000`));
    }
    t.match(
      await (await get('info/refs?service=git-upload-pack', { 'git-protocol': 'version=2' })).text(),
      /version 2\n/,
    );
    t.notMatch(
      await (await get('info/refs?service=git-upload-pack', { 'git-protocol': 'version=2; rm -rf' })).text(),
      /version 2\n/,
    );
  });

  await t.test('403 for the dumb protocol and unknown services, 404 for files of the dumb protocol', async (t) => {
    for (const query of [
      '',
      '?service=',
      '?service=git-upload-archive',
      '?service=upload-pack',
      '?service=constructor',
    ]) {
      const answer = await get(`info/refs${query}`);
      t.ok(answer.status === 403 || (query === '?service=' && answer.status === 400), `${query}: ${answer.status}`);
      t.match(await answer.text(), query === '' ? /smart HTTP/ : /service/);
    }
    for (const path of [
      'HEAD',
      'config',
      'objects/info/packs',
      'objects/info/..%2F..%2Fconfig',
      `objects/${tip.slice(0, 2)}/${tip.slice(2)}`,
    ])
      t.equal((await get(path)).status, 404, path);
  });

  await t.test('415 for another content type, so that no form or script of a page can push', async (t) => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/x-git-receive-pack-request',
      'application/json',
    ])
      t.equal((await post('git-upload-pack', type, want)).status, 415, type);
    t.equal((await post('git-receive-pack', uploadType, '0000')).status, 415);
    for (const type of [`${uploadType}; charset=utf-8`, 'Application/X-Git-Upload-Pack-Request'])
      t.equal((await post('git-upload-pack', type, want)).status, 200, type);
  });

  await t.test('a body in gzip, or in chunks', async (t) => {
    const plain = Buffer.from(await (await post('git-upload-pack', uploadType, want)).arrayBuffer());
    t.ok(plain.includes('PACK'));
    const zipped = await post('git-upload-pack', uploadType, new Uint8Array(gzipSync(want)), {
      'content-encoding': 'gzip',
    });
    t.same([zipped.status, zipped.headers.get('content-type')], [200, 'application/x-git-upload-pack-result']);
    t.ok(Buffer.from(await zipped.arrayBuffer()).includes('PACK'));
    const body = new ReadableStream({
      start(controller) {
        for (const char of want) controller.enqueue(new TextEncoder().encode(char));
        controller.close();
      },
    });
    const chunked = await fetch(`${forge.url}/alice/code.git/git-upload-pack`, {
      method: 'POST',
      headers: { 'content-type': uploadType },
      body,
      duplex: 'half',
    } as RequestInit);
    t.ok(Buffer.from(await chunked.arrayBuffer()).includes('PACK'));
    t.equal(
      (await post('git-upload-pack', uploadType, want, { 'content-encoding': 'gzip' })).status,
      400,
      'a body that is not gzip',
    );
    t.equal((await post('git-upload-pack', uploadType, want, { 'content-encoding': 'br' })).status, 415);
  });

  await t.test('a malformed body is a client error and moves no ref', async (t) => {
    const before = await refs(await stockGit(t), url);
    for (const body of [
      '',
      'zzzz',
      '0005',
      'ffff',
      pkt(`${zero} ${tip} refs/heads/x\n`),
      `${pkt(`${zero} ${'f'.repeat(40)} refs/heads/x\0 report-status`)}0000`,
      `${pkt(`${tip} ${zero} refs/heads/../x\0 report-status`)}0000`,
    ]) {
      const answer = await post('git-receive-pack', 'application/x-git-receive-pack-request', body);
      await answer.arrayBuffer().catch(() => undefined);
      t.ok(answer.status < 500, `${JSON.stringify(body.slice(0, 20))}: ${answer.status}`);
    }
    for (const body of ['', 'zzzz', '0005', 'ffff', `${pkt('have nothing\n')}0000`]) {
      t.equal(
        (await post('git-upload-pack', uploadType, body)).status,
        400,
        `upload-pack: ${JSON.stringify(body.slice(0, 20))}`,
      );
    }
    t.same(await refs(await stockGit(t), url), before);
  });
});

void t.test(
  'concurrent pushes: no accepted commit is lost, and a push that loses the race for a ref gets an error',
  async (t) => {
    const { url, work, forge } = await stage(t);
    const clones = await Promise.all(
      [1, 2, 3, 4].map(async (number) => {
        const git = await stockGit(t);
        await git.git('clone', '--quiet', url, 'c');
        const clone = git.at('c');
        const commit = await clone.commit(`By ${number}`, { [`file-${number}`]: String(number) });
        return { clone, commit, number };
      }),
    );
    const results = await Promise.all(
      clones.map(({ clone, number }) => clone.ran('push', url, 'HEAD:main', `HEAD:refs/heads/own-${number}`)),
    );
    const now = await refs(work, remote(forge.url, 'alice/code'));
    const winner = clones.filter(({ commit }) => now.includes(`${commit}\trefs/heads/main`));
    t.equal(winner.length, 1);
    for (const { commit, number } of clones)
      t.ok(now.includes(`${commit}\trefs/heads/own-${number}`), 'each push to its own branch was accepted');
    t.equal(results.filter(({ code }) => code === 0).length, 1);
  },
);

void t.test('a rename or deletion never gives a client access to another repository', async (t) => {
  const { forge, alice, url, tip } = await stage(t);
  await alice.client.patch(`${repos}/alice/code`, { body: { name: 'moved' } });
  const git = await stockGit(t);
  t.match((await git.ran('ls-remote', url)).stderr, /not found/);
  await create(alice, { name: 'code' });
  t.same(await refs(git, url), [], 'the new repository under the old name is empty');
  t.ok((await refs(git, remote(forge.url, 'alice/moved', alice))).includes(`${tip}\trefs/heads/main`));
  await alice.client.delete(`${repos}/alice/moved`, { body: { confirmation: 'alice/moved' } });
  t.match((await git.ran('ls-remote', remote(forge.url, 'alice/moved', alice))).stderr, /not found/);
});
