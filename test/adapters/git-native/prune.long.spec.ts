// Pruning by the native adapter: concurrent refs, files on disk, and runs that fail or are killed.
import { mkdir, readdir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { gitNative, type GitNative } from '#adapters/git-native/index';
import { commitFile } from '#test/contracts/git/provider';
import { git, must } from '#test/contracts/git/stock-git';
import { temporaryFolder } from '#test/support/folder';
import { pushable, quiet } from './provider.ts';

const id = '0a000000-0000-4000-8000-000000000000';
const hour = 3_600_000;
const later = (): Date => new Date(Date.now() + hour);

interface Rig {
  readonly folder: string;
  readonly root: string;
  readonly directory: string;
  readonly native: GitNative;
  /** The tip of `main`, and the tip of a deleted branch. */
  readonly tip: string;
  readonly lost: string;
}

async function rig(t: Test): Promise<Rig> {
  const folder = await temporaryFolder(t);
  const { root, directory, native, client, url } = await pushable(t, folder, id);
  const tip = await commitFile(client, 'file', 'content');
  await must(client, ['push', '-q', url, 'main']);
  const lost = await commitFile(client, 'file', 'lost');
  await must(client, ['push', '-q', url, 'main:lost']);
  // The commit-graph then has it too, which fsck compares with the objects.
  await native.maintain(id);
  await must(client, ['push', '-q', url, ':lost']);
  return { folder, root, directory, native, tip, lost };
}

const fsck = async (directory: string): Promise<number | null> =>
  (await git(directory, ['fsck', '--full', '--strict'])).code;

/** An adapter whose git runs a shell command after each repack. */
async function repacked(t: Test, { folder, root }: Rig, command: string): Promise<GitNative> {
  const gitPath = join(folder, 'git');
  await writeFile(gitPath, `#!/bin/sh\ngit "$@" || exit\ncase "$*" in *" repack "*) ${command} ;; esac\n`, {
    mode: 0o755,
  });
  const native = gitNative({ root, log: quiet, gitPath });
  t.teardown(() => native.close());
  return native;
}

void t.test('objects of a ref made during pruning are restored and kept', async (t) => {
  const it = await rig(t);
  const native = await repacked(t, it, `echo ${it.lost} > '${it.directory}/refs/heads/late'`);
  await t.rejects(native.prune(id, { before: later() }), { name: 'Unavailable', message: /A ref was made/ });
  t.equal(await it.native.resolveCommit(id, 'late'), it.lost);
  t.equal((await it.native.entry(id, it.lost, 'file'))?.size, 4);
  t.equal(await fsck(it.directory), 0);
  t.notOk((await readdir(it.directory)).includes('pruned'));
  t.same(await it.native.prune(id, { before: later() }), { remaining: false });
  t.equal((await it.native.entry(id, it.lost, 'file'))?.size, 4);
  t.equal(await fsck(it.directory), 0);
});

void t.test('a ref made during pruning to a kept commit does not stop it', async (t) => {
  const it = await rig(t);
  const native = await repacked(t, it, `echo ${it.tip} > '${it.directory}/refs/heads/late'`);
  t.same(await native.prune(id, { before: later() }), { remaining: false });
  t.equal(await native.resolveCommit(id, it.lost), undefined);
  t.equal(await fsck(it.directory), 0);
});

void t.test('packs that a killed run had set aside are restored, except a pack without its index', async (t) => {
  const it = await rig(t);
  const stored = join(it.directory, 'objects', 'pack');
  await mkdir(join(it.directory, 'pruned'));
  for (const name of await readdir(stored)) await rename(join(stored, name), join(it.directory, 'pruned', name));
  await writeFile(join(it.directory, 'pruned', 'pack-half.pack'), 'half');
  t.not(await fsck(it.directory), 0);
  t.same(await it.native.prune(id, { before: later() }), { remaining: false });
  t.equal(await fsck(it.directory), 0);
  t.equal(await it.native.resolveCommit(id, 'main'), it.tip);
  t.equal((await readdir(stored)).filter((name) => name.endsWith('.pack')).length, 1);
  t.notOk((await readdir(it.directory)).includes('pruned'));
});

void t.test('a run in which git fails loses nothing', async (t) => {
  const it = await rig(t);
  const native = await repacked(t, it, 'exit 3');
  await t.rejects(native.prune(id, { before: later() }), { name: 'Internal', message: /git repack failed/ });
  t.equal(await it.native.resolveCommit(id, it.lost), it.lost);
  t.notOk((await readdir(it.directory)).includes('pruned'));
  t.equal(await fsck(it.directory), 0);
});

void t.test('cat-file processes of another process continue with the old and the new packs', async (t) => {
  const it = await rig(t);
  const other = gitNative({ root: it.root, log: quiet });
  t.teardown(() => other.close());
  await other.maintain(id);
  t.equal((await other.entry(id, it.tip, 'file'))?.size, 7);
  t.same(await it.native.prune(id, { before: later() }), { remaining: false });
  const [file] = (await other.tree(id, (await other.entry(id, it.tip, ''))?.oid ?? '')).entries;
  t.equal((await other.blob(id, file?.oid ?? '')).size, 7);
  t.equal((await other.history(id, { tip: it.tip, skip: 0, limit: 9 })).length, 1);
});

void t.test('objects are pruned by their age, loose ones too, and a pack with a .keep file stays', async (t) => {
  const it = await rig(t);
  const write = (text: string): Promise<string> =>
    must(it.directory, ['hash-object', '-w', '--stdin'], { input: text });
  const [old, young] = [await write('old'), await write('young')];
  const aged = new Date(Date.now() - 2 * hour);
  await utimes(join(it.directory, 'objects', old.slice(0, 2), old.slice(2)), aged, aged);
  const kept = await must(it.directory, ['pack-objects', '-q', 'objects/pack/pack'], { input: `${it.lost}\n` });
  await writeFile(join(it.directory, 'objects', 'pack', `pack-${kept}.keep`), 'kept by the operator');
  const native = it.native;
  t.same(await native.prune(id, { before: new Date(Date.now() - hour) }), { remaining: true });
  await t.rejects(native.blob(id, old), { name: 'NotFound' });
  t.equal((await native.blob(id, young)).size, 5);
  t.same(await native.prune(id, { before: later() }), { remaining: false });
  await t.rejects(native.blob(id, young), { name: 'NotFound' });
  t.equal((await native.commitRecord(id, it.lost))?.oid, it.lost, 'kept');
  t.equal(await native.resolveCommit(id, 'main'), it.tip);
});

void t.test('maintenance and pruning of one repository never run at the same time', async (t) => {
  const it = await rig(t);
  const trail = join(it.folder, 'trail');
  const noting = join(it.folder, 'git-noting');
  // Each command logs its begin and end: two at the same time would interleave.
  await writeFile(
    noting,
    `#!/bin/sh\ncase "$*" in *commit-graph*) what=upkeep ;; *" repack "*) what=pruning ;; *) exec git "$@" ;; esac\necho "$what begins" >> '${trail}'\ngit "$@"\ncode=$?\necho "$what ends" >> '${trail}'\nexit $code\n`,
    { mode: 0o755 },
  );
  const noted = gitNative({ root: it.root, log: quiet, gitPath: noting });
  t.teardown(() => noted.close());
  await Promise.all([
    noted.maintain(id),
    noted.prune(id, { before: later() }),
    noted.maintain(id),
    noted.prune(id, { before: later() }),
  ]);
  const steps = (await readFile(trail, 'utf8')).trim().split('\n');
  t.equal(steps.filter((line) => line === 'pruning begins').length, 2);
  for (const [index, line] of steps.entries())
    if (line.endsWith('begins')) t.equal(steps[index + 1], line.replace('begins', 'ends'), `${index}`);
});
