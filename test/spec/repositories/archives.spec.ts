// Tests of archives, compared with the output of git archive.
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { temporaryFolder } from '#test/support/folder';
import { pushHistory } from '#test/support/clients/history';
import { sharedForge } from '#test/support/shared-forge';
import { remote } from '#test/support/servers/stock-git';

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

  await t.test('.tar.gz: the same bytes as git archive, below a folder named by repository and ref', async (t) => {
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

  await t.test(
    'files marked export-ignore are left out, and $Format:…$ is not substituted, in both formats',
    async (t) => {
      await work.git('checkout', '--quiet', '-b', 'attributes', 'main');
      const version = '$Format:%H %G? %cd %(describe)$\n'.repeat(20);
      await work.commit('Attributes', {
        '.gitattributes':
          '[attr]own export-subst\nREADME.md export-ignore\nversion export-subst\n*.own own\n"a\\nb" export-subst\n',
        'src/.gitattributes': '* export-subst\n',
        'src/version': version,
        version,
        'x.own': version,
        'a\nb': version,
      });
      await work.git('push', '--quiet', remote(forge.url, 'alice/code', alice), 'attributes');
      const names = ['version', 'src/version', 'x.own', 'a\nb'];
      const tar = join(folder, 'attributes.tar');
      await writeFile(tar, gunzipSync((await archive('attributes.tar.gz')).bytes));
      t.notMatch((await run('tar', ['tf', tar])).stdout, /README/);
      for (const name of names)
        t.equal((await run('tar', ['xOf', tar, `code-attributes/${name}`])).stdout, version, name);
      t.equal(
        // tar(5): twelve octal digits of the header.
        Number.parseInt((await readFile(tar)).toString('latin1', 136, 147), 8),
        Number(await work.git('log', '-1', '--format=%ct', 'attributes')),
        'files have the time of the commit',
      );
      const { bytes } = await archive('attributes.zip');
      // A ZIP contains the sizes of its files, and a substituted file would have another size.
      const expected = join(folder, 'unsubstituted.zip');
      await writeFile(join(work.folder, '.git/info/attributes'), '* -export-subst\n');
      await work.git('archive', '--format=zip', '--prefix=code-attributes/', `--output=${expected}`, 'attributes');
      await rm(join(work.folder, '.git/info/attributes'));
      t.ok((await readFile(expected)).equals(bytes));
    },
  );

  await t.test('404 for an unknown ref or extension, and for a caller who may not read', async (t) => {
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
