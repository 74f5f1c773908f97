// Tests of repositoryBlame: each line compared with git blame of the same file.
import t from 'tap';
import { pushHistory } from '#test/support/clients/history';
import { sharedForge } from '#test/support/shared-forge';
import { remote } from '#test/support/servers/stock-git';

interface Line {
  readonly line_number: number;
  readonly content: string;
  readonly sha: string;
  readonly author_name: string;
  readonly author_email: string;
  readonly author_date: string;
}

const repos = '/api/v1/repos';

void t.test('GET /repos/{owner}/{repo}/blame/{ref}/{path}', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob] = [await forge.createUser('Alice'), await forge.createUser('bob')];
  for (const [name, visibility] of [
    ['code', 'public'],
    ['empty', 'public'],
    ['secret', 'private'],
  ])
    await alice.client.post(repos, { body: { name, visibility } });
  const work = await pushHistory(t, forge, alice, 'code');
  const blame = (target: string, client: Pick<typeof bob.client, 'get'> = forge.anonymous, repo = 'code') =>
    client.get(`${repos}/alice/${repo}/blame/${target}`);

  /** The output of `git blame --line-porcelain`, with the whole commit for every line. */
  const told = async (revision: string, path: string): Promise<Line[]> => {
    const blocks = (await work.git('blame', '--line-porcelain', revision, '--', path))
      .split(/^(?=[0-9a-f]{40} \d+ \d+)/m)
      .filter((block) => block !== '');
    return blocks.map((block, index) => {
      const of = (name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(block)?.[1] ?? '';
      return {
        line_number: index + 1,
        content: /^\t(.*)$/m.exec(block)?.[1] ?? '',
        sha: block.slice(0, 40),
        author_name: of('author'),
        author_email: of('author-mail').slice(1, -1),
        author_date: new Date(Number(of('author-time')) * 1000).toISOString(),
      };
    });
  };

  await t.test(
    '200 with every line, its commit and its author as in git blame, across renames and merges',
    async (t) => {
      for (const [ref, path] of [
        ['main', 'src/moved.ts'],
        ['main', 'README.md'],
        ['v1', 'src/main.ts'],
        ['feature/x', 'src/main.ts'],
        ['main', 'größe und maß.txt'],
        ['main', 'link'],
      ] as const) {
        const { status, body } = await blame(`${ref}/${path.split('/').map(encodeURIComponent).join('/')}`);
        t.equal(status, 200, path);
        t.same(body, await told(ref, path), `${ref}: ${path}`);
      }
      const lines = (await blame('main/src/moved.ts')).body as Line[];
      t.ok(new Set(lines.map(({ sha }) => sha)).size >= 3, 'its lines come from several commits');
      t.same((await blame('main/latin.txt')).body, [
        { ...(await told('main', 'latin.txt'))[0], content: 'c\uFFFD' },
        { ...(await told('main', 'latin.txt'))[1] },
      ]);
      t.same(
        (await blame('feature%2Fx/src%2Fmain.ts')).body,
        await told('feature/x', 'src/main.ts'),
        'percent-encoded',
      );
      t.same((await blame('main/src/moved.ts')).body, lines, 'the same from the cache');
    },
  );

  await t.test('a binary file and an empty one have no lines', async (t) => {
    t.same((await blame('main/bin/data.bin')).body, []);
    await work.git('checkout', '--quiet', '-b', 'odd');
    await work.commit('Odd', {
      empty: '',
      large: `${'x'.repeat(99)}\n`.repeat(10_600),
      long: '\n'.repeat(25_001),
      carriage: 'a\r\nb',
      longest: '\n'.repeat(25_000),
    });
    await work.git('push', '--quiet', remote(forge.url, 'alice/code', alice), 'odd');
    t.same((await blame('odd/empty')).body, []);
    t.same(
      ((await blame('odd/carriage')).body as Line[]).map(({ content }) => content),
      ['a\r', 'b'],
    );
    t.equal(((await blame('odd/longest')).body as Line[]).length, 25_000);
  });

  await t.test('a branch name may have 64 segments, and the rest is the path', async (t) => {
    const branch = `deep/${'d/'.repeat(62)}x`;
    t.equal(branch.split('/').length, 64);
    await alice.client.post(`${repos}/alice/code/branches`, { body: { name: branch } });
    for (const target of [branch, encodeURIComponent(branch)]) {
      t.same((await blame(`${target}/src/moved.ts`)).body, await told('main', 'src/moved.ts'));
      t.equal((await forge.anonymous.get(`${repos}/alice/code/raw/${target}/README.md`)).status, 200);
    }
  });

  await t.test('422 over 1 MiB and over 25,000 lines', async (t) => {
    t.match(await blame('odd/large'), { status: 422, body: { error_code: 'unprocessable', detail: /1060000 bytes/ } });
    t.match(await blame('odd/long'), { status: 422, body: { detail: /25001 lines/ } });
  });

  await t.test('404 for a folder, a submodule, and an unknown or invalid path or ref', async (t) => {
    for (const target of [
      'main/src',
      'main',
      'main/sub',
      'main/nowhere',
      'nowhere/README.md',
      '-x/README.md',
      '--porcelain/README.md',
      'main~1/README.md',
      'main/..%2FREADME.md',
      'main/.git%2Fconfig',
      'main/src//moved.ts',
      'main/:README.md',
      'main/link/x',
    ]) {
      t.equal((await blame(target)).status, 404, target);
    }
    t.equal((await blame('main/README.md', alice.client, 'empty')).status, 404);
    t.equal((await blame('main/README.md', bob.client, 'secret')).status, 404);
    t.equal((await blame('main/README.md', await forge.pat(alice.client, ['issue:read']))).status, 403);
    t.equal((await blame('main/README.md', await forge.pat(alice.client, ['repo:read']))).status, 200);
    t.equal((await blame('main/README.md', forge.as('svc_bad'))).status, 401);
  });
});
