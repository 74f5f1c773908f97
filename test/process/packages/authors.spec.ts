// Tests for authors of external plugins: with only the packed package, in an empty folder, the documented plugins
// compile and run, their tests pass, and the documented mistakes do not compile.
import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { layCluster } from '#test/support/servers/cluster';
import { Command } from '#test/support/servers/command';
import { root } from '../../../tools/project-files.ts';
import { tokens } from '../../../tools/source/scan.ts';
import { compile, compilerOptions } from './compiler.ts';
import { kitAlone, ownWords } from './outside-words.ts';
import { packed, run } from './packed.ts';
import { firstRow, modules, promises } from './promised-errors.ts';

const examples = join(root, 'docs/examples');

/** Whether two lists of tokens differ in one token, which is replaced or added. */
function differInOne(one: readonly string[], other: readonly string[]): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  const first = long.findIndex((token, index) => token !== short[index]);
  const rest = (list: readonly string[], from: number): string => JSON.stringify(list.slice(from));
  return first !== -1 && rest(long, first + 1) === rest(short, short.length === long.length ? first + 1 : first);
}

void t.test('plugins written with only the package', async (t) => {
  const { project, program } = await packed();
  const shown = (await readdir(examples)).filter((name) => name.endsWith('.ts'));
  for (const name of shown) await copyFile(join(examples, name), join(project, name));
  const write = (name: string, content: object | string): Promise<void> =>
    writeFile(join(project, name), typeof content === 'string' ? content : JSON.stringify(content));
  await write('package.json', { name: 'elsewhere', type: 'module' });

  await t.test('"hexforge/plugin" alone declares the names of every area', async (t) => {
    await write('kit-alone.ts', kitAlone);
    // Compiled without the plugins that import an area, because one such import would declare the names for all files.
    await write('tsconfig.kit.json', {
      compilerOptions: { ...compilerOptions, skipLibCheck: true, noEmit: true },
      files: ['greeting.ts', 'kit-alone.ts'],
    });
    t.strictSame(await compile(project, 'tsconfig.kit.json'), []);
  });

  await t.test("the documented plugins, and a plugin's own names, compile", async (t) => {
    t.strictSame(shown.sort(), [
      'badges.ts',
      'bells.ts',
      'branch-tips.ts',
      'first-look.ts',
      'greeting-test.ts',
      'greeting.ts',
      'motto.ts',
      'quiet.ts',
    ]);
    await write('own-words.ts', ownWords);
    await write('tsconfig.json', {
      compilerOptions: { ...compilerOptions, skipLibCheck: true, outDir: 'dist' },
      include: [...shown, 'own-words.ts'],
    });
    t.strictSame(await compile(project, 'tsconfig.json'), []);
  });

  await t.test(
    'each documented mistake is exactly one error of one token; only two files of MikroORM have errors',
    async (t) => {
      await write('good.ts', modules.good);
      await write('bad.ts', modules.bad);
      await write('tsconfig.all.json', {
        compilerOptions: { ...compilerOptions, noEmit: true },
        include: [...shown, 'own-words.ts', 'good.ts', 'bad.ts'],
      });
      const complaints = await compile(project, 'tsconfig.all.json');
      const own = complaints.filter(({ file }) => file === 'bad.ts');
      t.strictSame(
        own.map(({ line, code }) => [promises[line - firstRow]?.promise ?? `line ${line}`, line, code]),
        promises.map(({ promise, code }, index) => [promise, firstRow + index, code]),
        'one error for each line, with its code',
      );
      for (const { line, message } of own) t.match(message, promises[line - firstRow]?.says ?? /./);
      // The first file of MikroORM lacks `| undefined` for exactOptionalPropertyTypes, the second the types of `pg`.
      t.strictSame(
        [...new Set(complaints.filter((complaint) => !own.includes(complaint)).map(({ file }) => file))]
          .map((file) => file.replace(/^.*node_modules\//, ''))
          .sort(),
        ['@mikro-orm/core/serialization/EntitySerializer.d.ts', '@mikro-orm/postgresql/PostgreSqlConnection.d.ts'],
        'every corrected line compiles',
      );
      for (const { promise, good, bad } of promises) {
        const [before, after] = [good, bad].map((line) => tokens(line).map(({ kind, text }) => `${kind} ${text}`));
        t.ok(differInOne(before ?? [], after ?? []), `${promise}: the corrected line differs in one token`);
      }
    },
  );

  await t.test('the documented tests of a plugin pass', async (t) => {
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter', 'tap', 'greeting-test.ts'], project);
    t.match(stdout, /^# pass 2$/m);
    t.match(stdout, /^# fail 0$/m);
  });

  await t.test('the three plugins run: as TypeScript, and compiled', async (t) => {
    const password = 'correct horse battery staple';
    await write('hexforge.yaml', {
      plugins: {
        identity: { scrypt_log_n: 4 },
        greeting: { path: './greeting.ts', word: 'Good morning' },
        quiet: { path: './dist/quiet.js' },
        'branch-tips': { path: './dist/branch-tips.js' },
      },
    });
    await layCluster(join(project, 'data'));
    const server = new Command(t, ['serve'], {
      cwd: project,
      program,
      environment: { PORT: '0', HEXFORGE_CONFIG: 'hexforge.yaml', HEXFORGE_ADMIN_PASSWORD: password },
    });
    const url = await server.listening();
    const call = async (
      method: string,
      path: string,
      token?: string,
      body?: object,
    ): Promise<{ readonly status: number; readonly body: unknown }> => {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    };
    const signIn = async (username: string): Promise<string> =>
      ((await call('POST', '/auth/login', undefined, { username, password })).body as { access_token: string })
        .access_token;

    const admin = await signIn('admin');
    const stranger = { username: 'stranger', password, email: 'stranger@example.com', display_name: 'A Stranger' };
    t.equal((await call('POST', '/admin/users', admin, stranger)).status, 201);
    const commits: Record<string, string> = {};
    for (const [name, visibility] of Object.entries({ open: 'public', closed: 'private' })) {
      t.equal((await call('POST', '/repos', admin, { name, visibility })).status, 201);
      const file = { message: 'Say hello', content: Buffer.from('Hello\n').toString('base64') };
      const written = await call('PUT', `/repos/admin/${name}/contents/README.md`, admin, file);
      t.equal(written.status, 201);
      commits[name] = (written.body as { commit: { sha: string } }).commit.sha;
      t.equal((await call('POST', `/repos/admin/${name}/branches`, admin, { name: 'next/one' })).status, 201);
    }

    t.strictSame(await call('GET', '/x/greeting/stranger'), {
      status: 200,
      body: { text: 'Good morning, A Stranger!' },
    });
    for (const [name, token] of [
      ['open', undefined],
      ['closed', admin],
    ] as const) {
      const { body: record } = await call('GET', `/repos/admin/${name}`, token);
      const { updated_at: updatedAt } = record as { updated_at: string };
      t.strictSame(await call('GET', `/x/quiet/admin/${name}`, token), {
        status: 200,
        body: { repository: `admin/${name}`, updated_at: updatedAt, quiet_days: 0 },
      });
      t.strictSame(await call('GET', `/x/branch-tips/admin/${name}`, token), {
        status: 200,
        body: {
          branches: [
            { name: 'main', commit_sha: commits[name], is_default: true },
            { name: 'next/one', commit_sha: commits[name], is_default: false },
          ],
        },
      });
    }
    for (const token of [undefined, await signIn('stranger')])
      for (const plugin of ['quiet', 'branch-tips'])
        t.match(
          await call('GET', `/x/${plugin}/admin/closed`, token),
          { status: 404, body: { error: 'Not found' } },
          `${plugin} returns nothing to an anonymous caller`,
        );
    server.signal('SIGTERM');
    t.equal(await server.ended(), 0);
  });
});
