// Tests of contentsWrite and contentsRemove: every status, and the commits they make as stock git reads them.
import t from 'tap';
import type { Answer } from '#test/support/clients/client';
import { pushHistory } from '#test/support/clients/history';
import { sharedForge } from '#test/support/shared-forge';
import { remote, stockGit } from '#test/support/servers/stock-git';

interface Written {
  readonly content: {
    readonly name: string;
    readonly path: string;
    readonly sha: string;
    readonly size: number;
    readonly mode: string;
    readonly lang: string;
  } | null;
  readonly commit: {
    readonly sha: string;
    readonly message: string;
    readonly parents: readonly string[];
    readonly author: object;
    readonly committer: object;
  };
}

const repos = '/api/v1/repos';
const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64');

void t.test('PUT and DELETE /repos/{owner}/{repo}/contents/{path}', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob] = [
    await forge.createUser('Alice', { displayName: 'Alice <of> Wonderland' }),
    await forge.createUser('bob'),
  ];
  for (const [name, visibility] of [
    ['code', 'public'],
    ['empty', 'public'],
    ['secret', 'private'],
  ])
    await alice.client.post(repos, { body: { name, visibility } });
  const history = await pushHistory(t, forge, alice, 'code');
  const git = await stockGit(t);
  const url = remote(forge.url, 'alice/code', alice);
  await git.git('init', '--quiet', '--bare', 'mirror');
  const mirror = git.at('mirror');
  let behind = true;
  /** Runs stock git on an up-to-date mirror of the repository. */
  const ask = async (...args: readonly string[]): Promise<string> => {
    if (behind) await mirror.git('fetch', '--quiet', '--prune', url, '+refs/*:refs/*');
    behind = false;
    return (await mirror.git(...args)).trim();
  };
  const at = (path: string, repo = 'code'): string => `${repos}/alice/${repo}/contents/${path}`;
  /** Marks the mirror as stale after every request, so that git also verifies that a refusal moved nothing. */
  const sent = async (answer: Promise<Answer>): Promise<Answer> => {
    await answer;
    behind = true;
    return answer;
  };
  const put = (path: string, body: object, client = alice.client) =>
    sent(client.put(at(path), { body: { message: 'Write', content: base64('x\n'), ...body } }));
  const remove = (path: string, body: object, client = alice.client) =>
    sent(client.delete(at(path), { body: { message: 'Remove', ...body } }));
  const shaOf = (path: string, ref = 'main') => ask('rev-parse', `${ref}:${path}`);

  await t.test(
    '201: a new file in new folders, as one commit of the caller on top of the default branch',
    async (t) => {
      const before = await ask('rev-parse', 'main');
      const { status, body } = await put('docs/deep/größe.md', {
        message: 'Add a page\n\nWith a body\n',
        content: base64('# Hi\n'),
      });
      t.equal(status, 201);
      const { content, commit } = body as Written;
      t.same(content, {
        name: 'größe.md',
        path: 'docs/deep/größe.md',
        sha: await shaOf('docs/deep/größe.md'),
        size: 5,
        mode: '100644',
        lang: 'markdown',
      });
      t.equal(commit.sha, await ask('rev-parse', 'main'));
      t.same(commit.parents, [before]);
      t.equal(commit.message, 'Add a page\n\nWith a body');
      t.equal(
        await ask('log', '-1', '--format=%an %ae %cn %ce %B', 'main'),
        'Alice of Wonderland Alice@users.noreply Alice of Wonderland Alice@users.noreply Add a page\n\nWith a body',
      );
      t.equal(
        await ask('-c', 'core.quotePath=false', 'diff', '--name-status', 'main~1', 'main'),
        'A\tdocs/deep/größe.md',
      );
      t.equal(await ask('show', 'main:docs/deep/größe.md'), '# Hi');
      t.equal(await ask('fsck', '--strict', '--no-dangling'), '');
      t.match((await alice.client.get(`${repos}/alice/code/commits/main`)).body, {
        sha: commit.sha,
        files: [{ filename: 'docs/deep/größe.md', status: 'added', additions: 1 }],
      });
    },
  );

  await t.test('200: replaces a file, keeps its mode, with the given author on the given branch', async (t) => {
    const sha = await shaOf('bin/data.bin');
    const { status, body } = await put('bin/data.bin', {
      sha,
      content: base64(new Uint8Array([9, 0, 9])),
      branch: 'main',
      author: { name: 'Grace H', email: 'grace@example.org' },
    });
    t.equal(status, 200);
    t.match((body as Written).content, { size: 3, mode: '100755', lang: '' });
    t.match((body as Written).commit, {
      author: { name: 'Grace H', email: 'grace@example.org' },
      committer: { name: 'Alice of Wonderland', email: 'Alice@users.noreply' },
    });
    t.match(await ask('ls-tree', 'main', 'bin/'), /^100755 blob/);
    t.equal(await ask('log', '-1', '--format=%an <%ae>', 'main'), 'Grace H <grace@example.org>');
    t.equal((await put('side.py', { branch: 'feature/x', sha: await shaOf('side.py', 'feature/x') })).status, 200);
    t.equal(await ask('show', 'feature/x:side.py'), 'x');
    const dated = await put('dated', {
      content: 'YWJj\r\nZGVm\n',
      author: { name: 'Grace H', email: 'grace@example.org', date: '2020-02-29T12:00:00.7+01:00' },
    });
    t.match(
      dated,
      { status: 201, body: { content: { size: 6 }, commit: { author: { date: '2020-02-29T11:00:00.000Z' } } } },
      'a date of the author, and base64 with line breaks',
    );
    t.equal(await ask('log', '-1', '--format=%aI', 'main'), '2020-02-29T12:00:00+01:00', 'its offset is kept');
    for (const [at, kept] of [
      ['2020-02-29T12:00:00+05:30', '2020-02-29T12:00:00+05:30'],
      ['2020-02-29T12:00:00-03:45', '2020-02-29T12:00:00-03:45'],
      ['2020-02-29t12:00:00z', '2020-02-29T12:00:00+00:00'],
    ] as const) {
      const author = { name: 'Grace H', email: 'grace@example.org', date: at };
      t.equal((await put(`dated${at.length}${at.at(-2)}`, { content: '', author })).status, 201);
      t.match(
        await ask('log', '-1', '--format=%aI %cI', 'main'),
        new RegExp(`^${RegExp.escape(kept)} .*(?:Z|\\+00:00)$`),
      );
    }
    t.equal(await ask('show', 'main:dated'), 'abcdef');
    t.equal((await put('none', { content: '' })).status, 201, 'an empty file');
    t.equal(await ask('cat-file', '-s', 'main:none'), '0');
  });

  await t.test('DELETE: 200 with the commit and no content; folders that become empty are removed too', async (t) => {
    const { status, body } = await remove('docs/deep/größe.md', { sha: await shaOf('docs/deep/größe.md') });
    t.equal(status, 200);
    t.equal((body as Written).content, null);
    t.equal((body as Written).commit.sha, await ask('rev-parse', 'main'));
    t.equal(await ask('ls-tree', '--name-only', 'main', 'docs'), '');
    const { body: last } = await remove('island.go', { sha: await shaOf('island.go', 'island'), branch: 'island' });
    t.equal((last as Written).content, null);
    t.equal(
      await ask('rev-parse', 'island^{tree}'),
      '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
      'a branch may become empty',
    );
    t.equal((await put('again.go', { branch: 'island' })).status, 201);
    t.equal(await ask('fsck', '--strict', '--no-dangling'), '');
  });

  await t.test('the first write to an empty repository creates the default branch', async (t) => {
    const write = (body: object) =>
      alice.client.put(at('README.md', 'empty'), { body: { message: 'First', content: base64('# One\n'), ...body } });
    t.equal((await write({ branch: 'other' })).status, 404);
    t.equal((await write({ sha: '1'.repeat(40) })).status, 409);
    t.equal(
      (await alice.client.delete(at('README.md', 'empty'), { body: { message: 'x', sha: '1'.repeat(40) } })).status,
      404,
    );
    const { status, body } = await write({});
    t.equal(status, 201);
    t.same((body as Written).commit.parents, []);
    t.match((await alice.client.get(at('README.md', 'empty'))).body, { content: base64('# One\n') });
    t.match((await alice.client.get(`${repos}/alice/empty`)).body, { default_branch: 'main' });
  });

  await t.test('409: a sha that is missing, stale, or of a file that does not exist', async (t) => {
    t.match(await put('README.md', {}), { status: 409, body: { error_code: 'conflict', detail: /"sha"/ } });
    t.match(await put('README.md', { sha: '1'.repeat(40) }), { status: 409 });
    t.match(await put('README.md', { sha: 'nonsense' }), { status: 409 });
    t.match(await put('nowhere', { sha: '1'.repeat(40) }), { status: 409 });
    t.match(await remove('README.md', { sha: '1'.repeat(40) }), { status: 409 });
    t.equal(await ask('show', 'main:README.md'), '# One');
  });

  await t.test(
    '422: a path through or at a link, a submodule, a folder, or a file used as a folder; and changes that git refuses',
    async (t) => {
      const before = await ask('rev-parse', 'main');
      for (const path of ['link', 'link/x', 'sub', 'sub/x', 'src', 'README.md/x', 'README.md/x/y']) {
        t.equal((await put(path, {})).status, 422, path);
        t.equal((await remove(path, { sha: '1'.repeat(40) })).status, 422, path);
      }
      t.match(await put('.gitmodules', { content: base64('[submodule "x"]\n\tpath = x\n\turl = -u./payload\n') }), {
        status: 422,
        body: { error: 'git does not take this change' },
      });
      t.match(await put('.g\u200cit/config', {}), { status: 422 });
      t.equal(await ask('rev-parse', 'main'), before, 'the branch has not moved');
    },
  );

  await t.test('400: invalid paths, messages, authors and content', async (t) => {
    for (const path of [
      '',
      '..%2Fx',
      'a%2F..%2Fb',
      'a%2F.%2Fb',
      '%2Fetc%2Fpasswd',
      'a%2F%2Fb',
      'a%2F',
      '.git%2Fconfig',
      'a%2F.GIT%2Fhooks%2Fx',
      'GIT~1%2Fx',
      '.git%20%2Fx',
      '.git.%2Fx',
      '.git:x',
      'a%5Cb',
      'a%0Ab',
      '%EF%BF%BD',
      'x'.repeat(256),
    ]) {
      t.equal((await put(path, {})).status, 400, path);
      t.equal((await remove(path, { sha: '1'.repeat(40) })).status, 400, path);
    }
    const bodies: readonly object[] = [
      { message: '' },
      { message: ' \n' },
      { message: 'a\u0000b' },
      { message: 'x'.repeat(64 * 1024 + 1) },
      { content: 'a' },
      { content: 'YQ' },
      { content: 'Y Q=' },
      { content: 'YR==' },
      { content: 'YQ_-' },
      { content: 7 },
      { unknown: 1 },
      { sha: '' },
      { author: { name: 'x' } },
      { author: { name: '', email: 'x' } },
      { author: { name: 'a\nb', email: 'x@y' } },
      { author: { name: 'a <b>', email: 'x@y' } },
      { author: { name: 'a', email: 'x> <y' } },
      { author: { name: '.', email: 'x@y' } },
      ...['', 'now', '2026-01-31', '2026-02-30T00:00:00Z', '1969-12-31T23:59:59Z', 7].map((date) => ({
        author: { name: 'x', email: 'x@y', date },
      })),
    ];
    for (const body of bodies) t.equal((await put('new', body)).status, 400, JSON.stringify(body).slice(0, 60));
    t.equal((await alice.client.put(at('new'), { body: { message: 'x' } })).status, 400);
    t.equal((await alice.client.delete(at('README.md'), { body: { message: 'x' } })).status, 400, 'DELETE without sha');
  });

  await t.test('404: an unknown branch, a tag, an unknown file, and for a caller who may not read', async (t) => {
    for (const branch of ['nowhere', 'v1', 'HEAD', '-x', 'refs/heads/main', 'a..b', ''])
      t.ok([400, 404].includes((await put('new', { branch })).status), branch);
    t.equal((await put('new', { branch: 'v1' })).status, 404, 'a tag is not a branch');
    t.equal((await remove('nowhere', { sha: '1'.repeat(40) })).status, 404);
    for (const method of ['PUT', 'DELETE'])
      t.equal(
        (await bob.client.request(method, at('x', 'secret'), { body: { message: 'x', content: '', sha: '1' } })).status,
        404,
        method,
      );
  });

  await t.test('401 anonymous, 403 without write access or without the scope, 413 and 415 for the body', async (t) => {
    const [reading, writing] = [
      await forge.pat(alice.client, ['repo:read']),
      await forge.pat(alice.client, ['repo:write']),
    ];
    for (const method of ['PUT', 'DELETE']) {
      const body = { message: 'x', sha: '1'.repeat(40), ...(method === 'PUT' && { content: '' }) };
      t.equal((await forge.anonymous.request(method, at('new'), { body })).status, 401, method);
      t.equal((await bob.client.request(method, at('new'), { body })).status, 403, method);
      t.equal((await reading.request(method, at('new'), { body })).status, 403, method);
      t.equal(
        (await alice.client.request(method, at('new'), { raw: 'x', headers: { 'content-type': 'text/plain' } })).status,
        415,
        method,
      );
      t.equal((await writing.request(method, at('new'), { body })).status, method === 'PUT' ? 409 : 404, method);
    }
    t.equal(
      (await put('large', { content: 'A'.repeat(2 * 1024 * 1024) })).status,
      201,
      'more than other bodies may contain',
    );
    t.equal(await ask('cat-file', '-s', 'main:large'), String(1.5 * 1024 * 1024));
    t.equal(
      (
        await alice.client.put(at('new'), {
          raw: `{"message":"x","content":"${'A'.repeat(50 * 1024 * 1024)}"}`,
          headers: { 'content-type': 'application/json' },
        })
      ).status,
      413,
    );
    t.equal((await remove('large', { sha: 'A'.repeat(1024 * 1024) })).status, 413);
  });

  await t.test(
    'concurrent writes: those to different files all succeed, and one of those to the same file does',
    async (t) => {
      const before = await ask('rev-list', '--count', 'main');
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => put(`many/${index}`, { content: base64(`${index}\n`) })),
      );
      t.same(
        answers.map(({ status }) => status),
        Array.from({ length: 8 }, () => 201),
      );
      t.equal(await ask('rev-list', '--count', 'main'), String(Number(before) + 8));
      const sha = await shaOf('README.md');
      const rivals = await Promise.all(
        Array.from({ length: 4 }, (_, index) => put('README.md', { sha, content: base64(`rival ${index}`) })),
      );
      t.same(rivals.map(({ status }) => status).sort(), [200, 409, 409, 409]);
      t.match(await ask('show', 'main:README.md'), /^rival \d$/);
      t.equal(await ask('fsck', '--strict', '--no-dangling'), '');
    },
  );

  await t.test('updated_at changes, and clones and pushes still work', async (t) => {
    const { updated_at: before } = (await alice.client.get(`${repos}/alice/code`)).body as { updated_at: string };
    t.equal((await put('later', {})).status, 201);
    t.ok(((await alice.client.get(`${repos}/alice/code`)).body as { updated_at: string }).updated_at > before);
    await history.git('fetch', '--quiet', url, '+main:refs/remotes/origin/main');
    await history.git('checkout', '--quiet', '--force', '-B', 'main', 'refs/remotes/origin/main');
    await history.commit('By push', { later: 'pushed\n' });
    await history.git('push', '--quiet', url, 'main');
    t.equal((await put('later', { sha: await shaOf('later') })).status, 200);
  });

  await t.test('403: the rules of a protected branch apply to the API as to a push', async (t) => {
    const rule = {
      allow_force_push: false,
      allow_deletion: false,
      push_roles: [],
      required_approvals: 0,
      required_pipeline: { on_open: false, on_merge: false },
    };
    t.equal((await alice.client.put(`${repos}/alice/code/branches/main/protection`, { body: rule })).status, 200);
    const before = await ask('rev-parse', 'main');
    t.match(await put('new', {}), { status: 403, body: { error_code: 'forbidden', detail: /main/ } });
    t.equal((await remove('README.md', { sha: await shaOf('README.md') })).status, 403);
    t.equal(await ask('rev-parse', 'main'), before);
    t.equal((await put('new', { branch: 'feature/x' })).status, 201);
    t.equal(
      (
        await alice.client.put(`${repos}/alice/code/branches/main/protection`, {
          body: { ...rule, push_roles: ['admin'] },
        })
      ).status,
      200,
    );
    t.equal((await put('new', {})).status, 201, 'the owner counts as admin');
  });
});
