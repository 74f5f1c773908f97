// Tests of contents and raw files: every status of each operation.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { TestForge, TestUser } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';
import { remote, stockGit, workTree, type StockGit } from '#test/support/servers/stock-git';

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly size: number;
  readonly mode: string;
  readonly last_commit_message: string | null;
  readonly last_commit_date: string | null;
}

const repos = '/api/v1/repos';

const create = async (user: Pick<TestUser, 'client'>, body: object): Promise<{ readonly id: string }> => {
  const answer = await user.client.post(repos, { body });
  if (answer.status !== 201) throw new Error(`creating answered ${answer.status}: ${answer.text}`);
  return answer.body as { readonly id: string };
};

void t.test('contents and raw', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob] = [await forge.createUser('Alice'), await forge.createUser('bob')];
  await create(alice, { name: 'Code', visibility: 'public' });
  await create(alice, { name: 'empty' });
  const secret = await create(alice, { name: 'secret' });
  const { work, first } = await filled(t, forge, alice);
  const contents = (path = '', query = '', client = forge.anonymous, headers = {}) =>
    client.get(`${repos}/alice/code/contents${path === '' ? '' : `/${path}`}${query}`, { headers });
  const raw = (target: string, client = forge.anonymous, headers = {}) =>
    client.get(`${repos}/alice/code/raw/${target}`, { headers });

  await t.test('a folder is an array of entries with the last commit of each', async (t) => {
    const { status, body, headers } = await contents();
    t.equal(status, 200);
    const entries = body as Entry[];
    t.same(
      entries.map(({ name, type, mode, size, last_commit_message: message }) => [name, type, mode, size, message]),
      [
        ['README.md', 'file', '100644', 5, 'Change the readme'],
        ['bin', 'dir', '040000', 0, 'First'],
        ['größe und maß.txt', 'file', '100644', 3, 'First'],
        ['link', 'symlink', '120000', 9, 'First'],
        ['page.html', 'file', '100644', 16, 'First'],
        ['src', 'dir', '040000', 0, 'First'],
        ['sub', 'submodule', '160000', 0, 'First'],
      ],
    );
    for (const entry of entries) {
      t.same(Object.keys(entry).sort(), [
        'last_commit_date',
        'last_commit_message',
        'mode',
        'name',
        'path',
        'size',
        'type',
      ]);
      t.equal(new Date(entry.last_commit_date ?? '').toISOString(), entry.last_commit_date);
    }
    t.same(
      ((await contents('src')).body as Entry[]).map(({ name, path, type }) => [name, path, type]),
      [
        ['deep', 'src/deep', 'dir'],
        ['main.ts', 'src/main.ts', 'file'],
      ],
    );
    const etag = headers.get('etag') ?? '';
    const again = await contents('', '', forge.anonymous, { 'if-none-match': etag });
    t.same(
      [again.status, again.text, again.headers.get('cache-control')],
      [304, '', 'private, must-revalidate, max-age=0'],
    );
  });

  await t.test('a file is a blob in base64, at a branch, tag or commit', async (t) => {
    const { status, body, headers } = await contents('README.md');
    t.equal(status, 200);
    const sha = (await work.git('rev-parse', 'HEAD:README.md')).trim();
    t.same(body, {
      path: 'README.md',
      encoding: 'base64',
      content: Buffer.from('# Two').toString('base64'),
      is_binary: false,
      lang: 'markdown',
      size: 5,
      sha,
    });
    t.equal(
      (await contents('README.md', '', forge.anonymous, { 'if-none-match': headers.get('etag') ?? '' })).status,
      304,
    );
    const content = async (ref: string) =>
      Buffer.from(
        ((await contents('README.md', `?ref=${encodeURIComponent(ref)}`)).body as { content: string }).content,
        'base64',
      ).toString();
    t.same(
      await Promise.all(['main', 'HEAD', 'v1', 'annotated', first, first.slice(0, 12), 'feature/x'].map(content)),
      ['# Two', '# Two', '# One', '# One', '# One', '# One', '# Side'],
    );
    t.match((await contents('bin/data.bin')).body, {
      is_binary: true,
      lang: '',
      size: 4,
      content: Buffer.from([0, 1, 2, 255]).toString('base64'),
    });
    t.match(
      (await contents('link')).body,
      { encoding: 'base64', content: Buffer.from('README.md').toString('base64'), size: 9 },
      'a link is its target text',
    );
    t.match(
      (await contents('sub')).body,
      { encoding: 'none', content: '', size: 0, sha: '1'.repeat(40) },
      'a submodule names its commit',
    );
    t.match((await contents('gr%C3%B6%C3%9Fe%20und%20ma%C3%9F.txt')).body, { path: 'größe und maß.txt', size: 3 });
    t.match(
      (await contents('src%2Fmain.ts')).body,
      { path: 'src/main.ts', lang: 'typescript' },
      'an encoded slash is a slash',
    );
    t.match((await contents('large', '?ref=large')).body, {
      encoding: 'none',
      content: '',
      is_binary: false,
      size: 1024 * 1024 + 1,
    });
  });

  await t.test('404 for an unknown path or ref and for invalid ones', async (t) => {
    for (const path of [
      'nowhere',
      'README.md/x',
      'link/x',
      'sub/x',
      '..%2F..%2Fetc%2Fpasswd',
      'src%2F..%2FREADME.md',
      '.git%2Fconfig',
      'src%5Cmain.ts',
      'src//main.ts',
    ])
      t.equal((await contents(path)).status, 404, path);
    for (const ref of [
      'nowhere',
      '-x',
      '--output=pwn',
      'main^{/x}',
      'main:README.md',
      'HEAD~1',
      'HEAD@{1}',
      '..',
      'a b',
      first.slice(0, 3),
      '0'.repeat(40),
    ])
      t.equal((await contents('README.md', `?ref=${encodeURIComponent(ref)}`)).status, 404, ref);
    t.equal((await contents('README.md', '?ref=')).status, 200, 'an empty ref is ignored');
    t.equal((await raw('nowhere/README.md')).status, 404);
  });

  await t.test('an empty repository is an empty folder', async (t) => {
    const { status, body } = await alice.client.get(`${repos}/alice/empty/contents`);
    t.same([status, body], [200, []]);
    t.equal((await alice.client.get(`${repos}/alice/empty/contents/README.md`)).status, 404);
    t.equal((await alice.client.get(`${repos}/alice/empty/raw/main/README.md`)).status, 404);
  });

  await t.test(
    'raw: bytes with length and type; markup that a browser runs and binary files are attachments; always nosniff and sandboxed',
    async (t) => {
      const readme = await raw('main/README.md');
      t.same([readme.status, readme.text], [200, '# Two']);
      const table = [
        ['README.md', 'text/markdown; charset=utf-8', null],
        ['src/main.ts', 'text/plain; charset=utf-8', null],
        ['bin/data.bin', 'application/octet-stream', `attachment; filename="data.bin"; filename*=UTF-8''data.bin`],
        ['page.html', 'text/html; charset=utf-8', `attachment; filename="page.html"; filename*=UTF-8''page.html`],
        [
          'src/deep/q"uo;te\\.svg',
          'image/svg+xml',
          `attachment; filename="q_uo;te_.svg"; filename*=UTF-8''q%22uo%3Bte%5C.svg`,
        ],
        ['src/deep/app.js', 'text/javascript; charset=utf-8', null],
        ['src/deep/app.css', 'text/css; charset=utf-8', null],
        ['größe und maß.txt', 'text/plain; charset=utf-8', null],
        ['link', 'text/plain; charset=utf-8', null],
      ] as const;
      for (const [path, type, disposition] of table) {
        const { status, headers, bytes } = await raw(`main/${path.split('/').map(encodeURIComponent).join('/')}`);
        t.same(
          [status, headers.get('content-type'), headers.get('content-disposition')],
          [200, type, disposition],
          path,
        );
        t.same(
          [
            headers.get('x-content-type-options'),
            headers.get('content-security-policy'),
            headers.get('content-length'),
          ],
          ['nosniff', "sandbox; default-src 'none'", String(bytes.length)],
        );
      }
      const etag = readme.headers.get('etag') ?? '';
      t.equal(etag, `"${(await work.git('rev-parse', 'HEAD:README.md')).trim()}"`);
      const again = await raw('main/README.md', forge.anonymous, { 'if-none-match': etag });
      t.same([again.status, again.text, again.headers.get('x-content-type-options')], [304, '', 'nosniff']);
      t.same(Buffer.from((await raw('main/bin/data.bin')).bytes), Buffer.from([0, 1, 2, 255]));
      t.equal((await raw('large/large')).bytes.length, 1024 * 1024 + 1);
    },
  );

  await t.test('raw: the ref is the longest one that the path begins with', async (t) => {
    t.equal((await raw('feature/x/README.md')).text, '# Side');
    t.equal((await raw('feature%2Fx/README.md')).text, '# Side');
    t.equal((await raw(`${first}/README.md`)).text, '# One');
    t.equal((await raw('HEAD/README.md')).text, '# Two');
    t.equal((await raw('refs/heads/feature/x/README.md')).text, '# Side', 'by its full name');
    for (const target of [
      'main',
      'main/src',
      'main/sub',
      'feature/README.md',
      '-x/README.md',
      'main/..%2Fmain/README.md',
    ])
      t.equal((await raw(target)).status, 404, target);
  });

  await t.test('404 for a caller who may not read, 403 for a token without the scope', async (t) => {
    for (const path of ['contents', 'contents/README.md', 'raw/main/README.md']) {
      t.equal((await forge.anonymous.get(`${repos}/alice/secret/${path}`)).status, 404, path);
      t.equal((await bob.client.get(`${repos}/alice/secret/${path}`)).status, 404, path);
      t.equal(
        (await bob.client.get(`${repos}/alice/secret/${path}`, { headers: { 'if-none-match': '*' } })).status,
        404,
        path,
      );
      t.equal(
        (await (await forge.pat(alice.client, ['issue:read'])).get(`${repos}/alice/code/${path}`)).status,
        403,
        path,
      );
      t.equal(
        (await (await forge.pat(alice.client, ['repo:read'])).get(`${repos}/alice/code/${path}`)).status,
        200,
        path,
      );
    }
    t.ok(secret.id);
  });

  await t.test('the default branch can be set to any existing branch and no other', async (t) => {
    t.equal((await alice.client.patch(`${repos}/alice/code`, { body: { default_branch: 'absent' } })).status, 400);
    t.equal((await alice.client.patch(`${repos}/alice/code`, { body: { default_branch: 'feature/x' } })).status, 200);
    t.equal((await raw('HEAD/README.md')).text, '# Side');
    t.equal(
      (await alice.client.patch(`${repos}/alice/code`, { body: { default_branch: 'main', visibility: 'private' } }))
        .status,
      200,
    );
    t.equal((await contents()).status, 404, 'a repository made private is hidden at once');
  });
});

/** Pushes a small history into Alice/Code: `main`, `feature/x`, `large`, and two tags. */
async function filled(
  t: { teardown(work: () => void | Promise<void>): unknown },
  forge: TestForge,
  alice: TestUser,
): Promise<{ work: StockGit; first: string }> {
  const work = await workTree(await stockGit(t), 'work');
  await symlink('README.md', join(work.folder, 'link'));
  await work.git('add', 'link');
  await work.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`);
  const files = {
    'README.md': '# One',
    'src/main.ts': 'let a = 1;\n',
    'src/deep/q"uo;te\\.svg': '<svg/>',
    'src/deep/app.js': 'alert(1)',
    'src/deep/app.css': 'a { color: red }',
    'bin/data.bin': new Uint8Array([0, 1, 2, 255]),
    'page.html': '<script></script>'.slice(0, 16),
    'größe und maß.txt': 'ab\n',
  };
  const first = await work.commit('First', files);
  await work.git('tag', 'v1');
  await work.git('tag', '--annotate', '--message', 'One', 'annotated');
  await work.git('checkout', '--quiet', '-b', 'feature/x');
  await work.commit('Side', { 'README.md': '# Side' });
  await work.git('checkout', '--quiet', '-b', 'large', 'main');
  await work.commit('Large', { large: 'x'.repeat(1024 * 1024 + 1) });
  await work.git('checkout', '--quiet', 'main');
  await work.commit('Change the readme', { 'README.md': '# Two' });
  await work.git('push', '--quiet', remote(forge.url, 'alice/code', alice), '--all');
  await work.git('push', '--quiet', remote(forge.url, 'alice/code', alice), '--tags');
  return { work, first };
}
