// Tests of commits, comparisons and languages, compared with the output of git for the same repository.
import t from 'tap';
import { pushHistory } from '#test/support/clients/history';
import { sharedForge } from '#test/support/shared-forge';
import { remote } from '#test/support/servers/stock-git';

interface Signature {
  readonly name: string;
  readonly email: string;
  readonly date: string;
}
interface Commit {
  readonly sha: string;
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
  readonly parents: readonly string[];
  readonly verified: boolean;
}
interface FileChange {
  readonly filename: string;
  readonly previous_filename?: string;
  readonly status: string;
  readonly additions: number;
  readonly deletions: number;
  readonly changes: number;
  readonly is_binary: boolean;
  readonly patch?: string;
}
interface Detail extends Commit {
  readonly stats: { readonly additions: number; readonly deletions: number; readonly total: number };
  readonly files: readonly FileChange[];
}
interface Comparison {
  readonly ahead_by: number;
  readonly behind_by: number;
  readonly merge_base: string | null;
  readonly commits: readonly Commit[];
  readonly files: readonly FileChange[];
}

const repos = '/api/v1/repos';
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

void t.test('history over REST', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob] = [await forge.createUser('Alice'), await forge.createUser('bob')];
  for (const [name, visibility] of [
    ['code', 'public'],
    ['empty', 'public'],
    ['secret', 'private'],
  ])
    await alice.client.post(repos, { body: { name, visibility } });
  const work = await pushHistory(t, forge, alice, 'code');
  const git = async (...args: readonly string[]): Promise<string> => (await work.git(...args)).trim();
  const get = (path: string, client: Pick<typeof bob.client, 'get'> = forge.anonymous, repo = 'code') =>
    client.get(`${repos}/alice/${repo}/${path}`);
  const shas = async (query = ''): Promise<string[]> =>
    ((await get(`commits${query}`)).body as Commit[]).map(({ sha }) => sha);

  await t.test('GET commits: every commit as in git log, newest first', async (t) => {
    const { status, body } = await get('commits');
    t.equal(status, 200);
    const told = (await git('log', '-z', '--format=%H%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct', 'main')).split(
      '\0',
    );
    const commits = body as Commit[];
    t.same(
      commits.map(({ sha }) => sha),
      lines(await git('rev-list', 'main')),
    );
    for (const { sha, message, author, committer, parents, verified } of commits) {
      const at = told.findIndex((text, index) => index % 8 === 0 && text === sha);
      const [, parent = '', name, email, authored, committerName, committerEmail, committed] = told.slice(at, at + 8);
      t.same(
        { parents: parents.join(' '), author, committer },
        {
          parents: parent,
          author: { name, email, date: new Date(Number(authored) * 1000).toISOString() },
          committer: {
            name: committerName,
            email: committerEmail,
            date: new Date(Number(committed) * 1000).toISOString(),
          },
        },
      );
      t.equal(message, await git('log', '-1', '--format=%B', sha));
      t.equal(verified, false);
    }
  });

  await t.test('GET commits: ref, path, author, since and until select the same commits as git log', async (t) => {
    for (const ref of [
      'main',
      'HEAD',
      'v1',
      'feature/x',
      'island',
      'refs/heads/feature/x',
      await git('rev-parse', '--short=10', 'main~1'),
    ]) {
      t.same(await shas(`?ref=${encodeURIComponent(ref)}`), lines(await git('rev-list', ref)), ref);
    }
    for (const path of [
      'src',
      'src/main.ts',
      'src/moved.ts',
      'README.md',
      'größe und maß.txt',
      'sub',
      'link',
      'nowhere',
    ]) {
      t.same(await shas(`?path=${encodeURIComponent(path)}`), lines(await git('rev-list', 'main', '--', path)), path);
    }
    t.same(await shas('?path=src/'), await shas('?path=src'), 'a folder with a trailing slash');
    for (const path of ['../x', '.git', 'src//main.ts', ':(top)src', ':/', '*.ts', '--all', '-n1'])
      t.same(await shas(`?path=${encodeURIComponent(path)}`), [], path);
    for (const author of ['Grace', 'grace+h@', '.*', 'Gr[a]ce', '"Ho" O\'Per', 'nobody', '--all', '-x', '^']) {
      t.same(
        await shas(`?author=${encodeURIComponent(author)}`),
        lines(await git('rev-list', 'main', '--fixed-strings', `--author=${author}`)),
        author,
      );
    }
    const at = Number(await git('log', '-1', '--format=%ct', 'main~2'));
    const iso = encodeURIComponent(new Date(at * 1000).toISOString());
    t.same(await shas(`?since=${iso}`), lines(await git('rev-list', `--max-age=${at}`, 'main')));
    t.same(await shas(`?until=${iso}`), lines(await git('rev-list', `--min-age=${at}`, 'main')));
    const day = new Date(at * 1000).toISOString().slice(0, 10);
    t.ok(
      (await shas(`?since=${day}&until=${day}`)).includes(await git('rev-parse', 'main~2')),
      'the named day is included',
    );
    t.same(await shas('?since=2001-01-01T00:00:00%2B02:00&until=2002-01-01'), []);
    t.same(
      await shas('?ref=&path=&author=&since=&until=&page=&per_page='),
      await shas(),
      'empty parameters are ignored',
    );
  });

  await t.test('GET commits: page and per_page, clamped', async (t) => {
    const all = lines(await git('rev-list', 'main'));
    t.same(await shas('?per_page=2'), all.slice(0, 2));
    t.same(await shas('?per_page=2&page=2'), all.slice(2, 4));
    t.same(await shas('?per_page=100&page=2'), []);
    t.same(await shas('?per_page=0'), all.slice(0, 25), 'below 1 is the default');
    t.same(await shas('?per_page=1000&page=0'), all);
    t.same(await shas('?page=99999999999999'), []);
    t.same(await shas('?page=x&per_page=y'), all.slice(0, 25));
  });

  await t.test(
    'GET commits: 400 for an invalid time or author, 404 for an unknown ref, [] for an empty repository',
    async (t) => {
      for (const query of [
        'since=yesterday',
        'until=2026-13-01',
        'since=2026-02-30',
        'since=@1',
        'until=2026-01-01T25:00:00Z',
        'since=2026-01-01T10:00:00',
        'author=a%0Ab',
        `author=${'x'.repeat(300)}`,
        'path=a%00b',
        'ref=a&ref=b',
      ]) {
        t.equal((await get(`commits?${query}`)).status, 400, query);
      }
      for (const ref of ['nowhere', '-x', '--all', 'main~1', 'main..island', '0'.repeat(40)])
        t.equal((await get(`commits?ref=${encodeURIComponent(ref)}`)).status, 404, ref);
      for (const query of ['', '?ref=main', '?ref=HEAD'])
        t.same((await get(`commits${query}`, alice.client, 'empty')).body, [], query);
      t.equal((await get('commits?ref=other', alice.client, 'empty')).status, 404);
    },
  );

  await t.test('GET commits/{sha}: stats and files as in git diff against the first parent', async (t) => {
    for (const revision of ['main', 'main~1', 'main~2', 'feature/x', 'island', 'v1']) {
      const sha = await git('rev-parse', revision);
      const { status, body } = await get(`commits/${sha}`);
      t.equal(status, 200, revision);
      const { stats, files, sha: told, parents } = body as Detail;
      t.equal(told, sha);
      const range = [parents[0] ?? '4b825dc642cb6eb9a060e54bf8d69288fbee4904', sha];
      const numstat = lines(
        (await git('-c', 'core.quotePath=false', 'diff', '-M', '--numstat', ...range)).replaceAll(
          /\{(.*) => (.*)\}/g,
          '$2',
        ),
      ).map((line) => line.split('\t'));
      t.same(
        files.map((file) => [
          file.is_binary ? '-' : String(file.additions),
          file.is_binary ? '-' : String(file.deletions),
          file.filename,
        ]),
        numstat,
        revision,
      );
      t.same(
        files.map(({ changes }) => changes),
        files.map(({ additions, deletions }) => additions + deletions),
      );
      const sum = (of: 'additions' | 'deletions'): number => files.reduce((total, file) => total + file[of], 0);
      t.same(stats, {
        additions: sum('additions'),
        deletions: sum('deletions'),
        total: sum('additions') + sum('deletions'),
      });
      for (const file of files) {
        const whole = await git(
          '-c',
          'core.quotePath=false',
          'diff',
          '-M',
          ...range,
          '--',
          ...[file.filename, file.previous_filename ?? []].flat(),
        );
        const hunks = whole.indexOf('\n@@ ');
        t.equal(
          file.patch?.trim(),
          hunks < 0 ? undefined : whole.slice(hunks + 1).trim(),
          `${revision}: ${file.filename}`,
        );
      }
    }
    const { files } = (await get('commits/main')).body as Detail;
    const of = (name: string) => files.find(({ filename }) => filename === name);
    t.match(of('src/moved.ts'), { status: 'renamed', previous_filename: 'src/main.ts', additions: 0, deletions: 0 });
    t.match(of('src/style.css'), { status: 'removed', deletions: 1, patch: '@@ -1 +0,0 @@\n-a {}' });
    t.match(of('bin/data.bin'), { status: 'modified', is_binary: true });
    t.match(of('link'), { status: 'added', additions: 1 });
    t.match(of('sub'), { status: 'added', additions: 1 });
  });

  await t.test('GET commits/{sha}: short ids and refs too; 404 for text that names no commit', async (t) => {
    const head = await git('rev-parse', 'main');
    for (const revision of ['main', 'HEAD', head.slice(0, 8), 'refs/heads/main'])
      t.match((await get(`commits/${revision}`)).body, { sha: head }, revision);
    t.match((await get('commits/feature/x')).body, { sha: await git('rev-parse', 'feature/x') });
    t.match((await get('commits/feature%2Fx')).body, { sha: await git('rev-parse', 'feature/x') });
    const blob = await git('rev-parse', 'main:README.md');
    for (const revision of ['nowhere', blob, '0'.repeat(40), '-x', 'main~1', head.slice(0, 3)])
      t.equal((await get(`commits/${revision}`)).status, 404, revision);
  });

  await t.test('GET compare: counts, merge base, commits and files', async (t) => {
    for (const [base, head] of [
      ['v1', 'main'],
      ['main', 'v1'],
      ['feature/x', 'main'],
      ['main', 'feature/x'],
      ['main~1', 'main'],
      ['main', 'main'],
    ] as const) {
      const [from, to] = [base === 'main~1' ? await git('rev-parse', base) : base, head];
      const { status, body } = await get(`compare/${from}...${to}`);
      t.equal(status, 200);
      const comparison = body as Comparison;
      const [behind, ahead] = (await git('rev-list', '--left-right', '--count', `${base}...${head}`))
        .split('\t')
        .map(Number);
      t.same(
        [comparison.ahead_by, comparison.behind_by, comparison.merge_base],
        [ahead, behind, await git('merge-base', base, head)],
        `${base}...${head}`,
      );
      t.same(
        comparison.commits.map(({ sha }) => sha),
        lines(await git('rev-list', `${base}..${head}`)),
      );
      t.same(
        comparison.files.map(({ filename }) => filename),
        (await git('diff', '-M', '-z', '--name-only', `${base}...${head}`)).split('\0').filter((name) => name !== ''),
      );
      t.same((await get(`compare/${encodeURIComponent(`${from}...${to}`)}`)).body, body, 'percent-encoded');
    }
    const island = (await get('compare/main...island')).body as Comparison;
    t.match(island, { ahead_by: 1, merge_base: null });
    t.equal(island.behind_by, lines(await git('rev-list', 'main')).length);
    t.ok(island.files.some(({ filename, status }) => filename === 'island.go' && status === 'added'));
    for (const range of [
      'main...nowhere',
      'nowhere...main',
      'main',
      'main..island',
      '...main',
      'main...',
      '-x...main',
      'main...main...main',
      '',
    ])
      t.equal((await get(`compare/${range}`)).status, 404, range);
  });

  await t.test(
    'GET languages: bytes by language at the tip of the default branch, without data, prose, links and submodules',
    async (t) => {
      const size = async (path: string): Promise<number> => Number(await git('cat-file', '-s', `main:${path}`));
      const { status, body } = await get('languages');
      t.same([status, body], [200, { typescript: await size('src/moved.ts'), python: await size('side.py') }]);
      t.same((await get('languages', alice.client, 'empty')).body, {});
      await alice.client.patch(`${repos}/alice/code`, { body: { default_branch: 'island' } });
      t.same((await get('languages')).body, { go: 15 });
      await alice.client.patch(`${repos}/alice/code`, { body: { default_branch: 'main' } });
    },
  );

  await t.test('304 while no ref has moved, a new answer when one has; pages have different ETags', async (t) => {
    const paths = [
      'commits',
      'commits?per_page=1',
      'commits?ref=feature/x',
      'commits/main',
      'compare/v1...main',
      'compare/main...v1',
      'blame/main/README.md',
      'languages',
    ];
    const ask = async (held: ReadonlyMap<string, string> = new Map()) =>
      await Promise.all(
        paths.map(async (path) => {
          const { status, headers, text } = await forge.anonymous.get(`${repos}/alice/code/${path}`, {
            headers: { 'if-none-match': held.get(path) ?? '""' },
          });
          t.equal(headers.get('cache-control'), 'private, must-revalidate, max-age=0', path);
          return { path, status, etag: headers.get('etag') ?? '', text };
        }),
      );
    const first = await ask();
    t.same(
      first.map(({ status }) => status),
      paths.map(() => 200),
    );
    t.same(await ask(), first, 'a second request');
    const tags = new Map(first.map(({ path, etag }) => [path, etag]));
    t.same(
      (await ask(tags)).map(({ status, etag, text }) => [status, etag.replace('-gzip', ''), text]),
      first.map(({ etag }) => [304, etag.replace('-gzip', ''), '']),
    );
    await work.commit('Moves main', { 'README.md': '# Moved\n', 'moved.py': 'print(1)\n' });
    await work.git('push', '--quiet', remote(forge.url, 'alice/code', alice), 'HEAD:main');
    t.same(
      (await ask(tags)).map(({ path, status }) => [path, status]),
      paths.map((path) => [path, path === 'commits?ref=feature/x' ? 304 : 200]),
    );
    t.match((await get('commits?per_page=1')).body, [{ message: 'Moves main' }]);
  });

  await t.test(
    '404 for a caller who may not read, 403 for a token without the scope, 401 for a bad credential',
    async (t) => {
      for (const path of ['commits', 'commits/main', 'compare/main...main', 'languages']) {
        t.equal((await get(path, forge.anonymous, 'secret')).status, 404, path);
        t.equal((await get(path, bob.client, 'secret')).status, 404, path);
        t.equal((await get(path, await forge.pat(alice.client, ['issue:read']))).status, 403, path);
        t.equal((await get(path, await forge.pat(alice.client, ['repo:read']))).status, 200, path);
        t.equal((await get(path, forge.as('svc_bad'))).status, 401, path);
      }
    },
  );
});
