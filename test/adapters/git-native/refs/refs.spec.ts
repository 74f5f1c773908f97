// Refs beyond the contract: how many processes lists take, and which writes are synced to disk.
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { gitNative } from '#adapters/git-native/index';
import { zeroOid } from '#core/repositories/index';
import { git } from '#test/contracts/git/stock-git';
import { temporaryFolder } from '#test/support/folder';
import { quiet } from '../provider.ts';

const id = '00000000-0000-4000-8000-000000000001';

/** A repository of `count` branches with one commit each, behind a git that logs its commands and syncs. */
async function branched(t: Test, count: number) {
  const folder = await temporaryFolder(t);
  const [path, log, trace] = [join(folder, 'git'), join(folder, 'log'), join(folder, 'trace')];
  await writeFile(
    path,
    `#!/bin/sh\necho "$*" >> "${log}"\nGIT_TRACE2_EVENT=${trace}; export GIT_TRACE2_EVENT\nexec git "$@"\n`,
  );
  await chmod(path, 0o700);
  const root = join(folder, 'root');
  await mkdir(root);
  const native = gitNative({ root, log: quiet, gitPath: path });
  t.teardown(() => native.close());
  await native.create(id, { defaultBranch: 'main' });
  const directory = join(root, id.slice(0, 2), `${id}.git`);
  const commit = (branch: string, at: number, from: string): string =>
    `commit refs/heads/${branch}\nmark :${at}\ncommitter A <a@b> ${1_700_000_000 + at} +0000\ndata 1\nx\n${from}\n`;
  const input = ['main', ...Array.from({ length: count }, (_, number) => `b${number}`)]
    .map((branch, at) => commit(branch, at + 1, at === 0 ? '' : 'from :1\n'))
    .join('');
  const { code, stderr } = await git(directory, ['fast-import', '--quiet', '--date-format=raw'], { input });
  if (code !== 0) throw new Error(stderr);
  return {
    native,
    directory,
    /** The commands started since the last call. */
    async started(): Promise<readonly string[]> {
      const lines = (await readFile(log, 'utf8').catch(() => ''))
        .trim()
        .split('\n')
        .filter((line) => line !== '');
      await rm(log, { force: true });
      return lines.map((line) => line.replace(/^--git-dir=\S+ /, '').split(' ')[0] ?? '');
    },
    async synced(): Promise<number> {
      const events = (await readFile(trace, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { readonly key?: string; readonly value?: string });
      await rm(trace);
      return events
        .filter(({ key }) => key === 'fsync/hardware-flush')
        .reduce((sum, { value }) => sum + Number(value ?? 0), 0);
    },
  };
}

void t.test(
  'branches with divergence take only cat-file processes for 1, one walk for 300, and no process when repeated',
  async (t) => {
    for (const [count, walks] of [
      [1, []],
      [300, ['rev-list']],
    ] as const) {
      const { native, started } = await branched(t, count);
      const list = async () => {
        const refs = await native.refs(id, 'branches');
        const base = refs.find(({ name }) => name === 'refs/heads/main')?.oid ?? '';
        const heads = refs.map(({ oid }) => oid);
        return [await native.tips(id, heads), await native.divergence(id, base, heads)] as const;
      };
      const [tips, apart] = await list();
      t.same([tips.size, apart.size], [count + 1, count + 1]);
      t.same([...apart.values()].filter(({ ahead, behind }) => ahead === 1 && behind === 0).length, count);
      const commands = await started();
      t.same(
        commands.filter((command) => command !== 'cat-file'),
        walks,
        `${count} branches`,
      );
      t.ok(commands.length <= 4, 'and at most two pooled cat-file processes');
      await list();
      t.same(await started(), [], `${count} branches again`);
    }
  },
);

void t.test('the walk is aborted with its request', async (t) => {
  const { native } = await branched(t, 3);
  const heads = (await native.refs(id, 'branches')).map(({ oid }) => oid);
  const gone = AbortSignal.abort(new Error('the client went away'));
  await t.rejects(native.divergence(id, heads[0] ?? '', heads, gone), { message: 'the client went away' });
  t.equal((await native.divergence(id, heads[0] ?? '', heads)).size, heads.length, 'can be requested again');
});

void t.test('a moved ref and a written tag are synced to disk', async (t) => {
  const { native, synced } = await branched(t, 1);
  const [tip = ''] = await native.readRefs(id, ['refs/heads/main']);
  await native.moveRefs(id, [{ ref: 'refs/heads/new', old: zeroOid, new: tip }]);
  t.ok((await synced()) >= 1, 'a ref');
  await native.writeTag(id, {
    name: 'v1',
    commit: tip,
    message: 'One',
    tagger: { name: 'Ada', email: 'ada@example.org', date: new Date(0) },
  });
  t.ok((await synced()) >= 1, 'a tag');
});

void t.test('moving a ref that another process has locked is rejected with Unavailable', async (t) => {
  const { native, directory } = await branched(t, 1);
  const [tip = ''] = await native.readRefs(id, ['refs/heads/main']);
  const update = { ref: 'refs/heads/held', old: zeroOid, new: tip };
  await writeFile(join(directory, 'refs/heads/held.lock'), '');
  await t.rejects(native.moveRefs(id, [update]), { name: 'Unavailable', message: /Another process/ });
  await rm(join(directory, 'refs/heads/held.lock'));
  t.equal(await native.moveRefs(id, [update]), 'moved');
});
