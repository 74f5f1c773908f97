// Document D, "Repositories": archives, unpacked and compared with what git archive packs.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { temporaryFolder } from '#test/support/folder';
import { pushHistory } from '#test/support/history';
import { sharedForge } from '#test/support/shared-forge';
import { remote } from '#test/support/stock-git';

const repos = '/api/v1/repos';
const run = promisify(execFile);

void t.test('GET /repos/{owner}/{repo}/archive/{ref}.tar.gz and .zip', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob] = [await forge.createUser('Alice'), await forge.createUser('bob')];
  for (const [name, visibility] of [
    ['code', 'public'],
    ['empty', 'public'],
    ['secret', 'private'],
  ])
    await alice.client.post(repos, { body: { name, visibility } });
  const work = await pushHistory(t, forge, alice, 'code');
  const folder = await temporaryFolder(t);
  const archive = (target: string, client: Pick<typeof bob.client, 'get'> = forge.anonymous, repo = 'code') =>
    client.get(`${repos}/alice/${repo}/archive/${target}`);

  await t.test('.tar.gz: the very bytes of git archive, below a folder of repository and ref', async (t) => {
    const head = (await work.git('rev-parse', 'main')).trim();
    for (const [target, ref, name] of [
      ['main', 'main', 'code-main'],
      ['v1', 'v1^{commit}', 'code-v1'],
      ['feature/x', 'feature/x', 'code-feature-x'],
      ['feature%2Fx', 'feature/x', 'code-feature-x'],
      [head, head, `code-${head}`],
    ] as const) {
      const { status, headers, bytes } = await archive(`${target}.tar.gz`);
      t.equal(status, 200, target);
      t.same(
        [headers.get('content-type'), headers.get('content-disposition'), headers.get('x-content-type-options')],
        ['application/gzip', `attachment; filename="${name}.tar.gz"; filename*=UTF-8''${name}.tar.gz`, 'nosniff'],
      );
      const expected = join(folder, 'expected.tar');
      await work.git(
        'archive',
        '--format=tar',
        `--prefix=${name}/`,
        `--output=${expected}`,
        (await work.git('rev-parse', ref)).trim(),
      );
      const told = join(folder, 'told.tar');
      await writeFile(told, gunzipSync(bytes));
      t.equal((await run('tar', ['tvf', told])).stdout, (await run('tar', ['tvf', expected])).stdout, target);
      t.equal((await run('cmp', [told, expected])).stdout, '', target);
    }
  });

  await t.test('.zip: the same files', async (t) => {
    const { status, headers, bytes } = await archive('main.zip');
    t.equal(status, 200);
    t.same(
      [headers.get('content-type'), headers.get('content-disposition'), headers.get('x-content-type-options')],
      ['application/zip', `attachment; filename="code-main.zip"; filename*=UTF-8''code-main.zip`, 'nosniff'],
    );
    const expected = join(folder, 'expected.zip');
    await work.git(
      'archive',
      '--format=zip',
      '--prefix=code-main/',
      `--output=${expected}`,
      (await work.git('rev-parse', 'main')).trim(),
    );
    const told = join(folder, 'told.zip');
    await writeFile(told, bytes);
    t.equal((await run('cmp', [told, expected])).stdout, '');
  });

  await t.test('what the repository says of its files is followed, and starts no program of the machine', async (t) => {
    await work.git('checkout', '--quiet', '-b', 'attributes', 'main');
    await work.commit('Attributes', {
      '.gitattributes': 'README.md export-ignore\nversion export-subst\n',
      version: '$Format:%H %G?$\n',
    });
    await work.git('push', '--quiet', remote(forge.url, 'alice/code', alice), 'attributes');
    const path = join(folder, 'attributes.tar');
    await writeFile(path, gunzipSync((await archive('attributes.tar.gz')).bytes));
    t.notMatch((await run('tar', ['tf', path])).stdout, /README/);
    t.equal(
      (await run('tar', ['xOf', path, 'code-attributes/version'])).stdout,
      `${(await work.git('rev-parse', 'attributes')).trim()} N\n`,
    );
  });

  await t.test('404 for an unknown ref or extension, and to who may not read', async (t) => {
    for (const target of [
      'nowhere.zip',
      '-x.zip',
      '--output=%2Ftmp%2Fpwn.zip',
      '--remote=x.tar.gz',
      'main~1.zip',
      'main:src.zip',
      'main',
      'main.tar',
      'main.rar',
      '.zip',
      'zip',
      '..%2Fmain.zip',
      '',
    ])
      t.equal((await archive(target)).status, 404, target);
    t.equal((await archive('main.zip', alice.client, 'empty')).status, 404);
    for (const client of [forge.anonymous, bob.client])
      t.equal((await archive('main.zip', client, 'secret')).status, 404);
    t.equal((await archive('main.zip', await forge.pat(alice.client, ['issue:read']))).status, 403);
    t.equal((await archive('main.zip', await forge.pat(alice.client, ['repo:read']))).status, 200);
    t.equal((await archive('main.zip', forge.as('svc_bad'))).status, 401);
  });
});
