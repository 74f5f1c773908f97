// Forks on disk: a fork shares no files with its source, is synced, and is made only by the configured git.
import {
  chmod,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { gitNative } from '#adapters/git-native/index';
import { serve } from '#test/contracts/git/http-server';
import { never } from '#test/contracts/git/provider';
import { must } from '#test/contracts/git/stock-git';
import { quiet } from './provider.ts';

const source = '0a000000-0000-4000-8000-000000000000';
const fork = '0b000000-0000-4000-8000-000000000000';

async function filled(t: Test, options: { readonly gitPath?: (folder: string) => Promise<string> } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-fork-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const root = join(folder, `it's 50%20 "odd" $HOME;`);
  const native = gitNative({
    root,
    log: quiet,
    ...(options.gitPath !== undefined && { gitPath: await options.gitPath(folder) }),
  });
  t.teardown(() => native.close());
  await native.sweep();
  await native.create(source, { defaultBranch: 'main' });
  const server = await serve(native);
  const client = join(folder, 'client');
  await must(folder, ['init', '-q', '-b', 'main', client]);
  await writeFile(join(client, 'file'), 'content');
  await must(client, ['add', '.']);
  await must(client, ['commit', '-q', '-m', 'one']);
  await must(client, ['push', '-q', server.url(source), 'main', 'main:refs/heads/side']);
  await server.stop();
  return { native, directoryOf: (id: string) => join(root, id.slice(0, 2), `${id}.git`) };
}

async function files(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Paths that this process syncs after this call. */
async function syncedFolders(t: Test): Promise<ReadonlySet<string>> {
  const synced = new Set<string>();
  const handle = await open(import.meta.filename);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { sync } = prototype;
  prototype.sync = async function noted() {
    synced.add(await readlink(`/proc/self/fd/${this.fd}`));
    await sync.call(this);
  };
  t.teardown(() => {
    prototype.sync = sync;
  });
  return synced;
}

void t.test('a fork shares no file with its source and uses no alternates', async (t) => {
  const { native, directoryOf } = await filled(t);
  await native.fork(source, fork, { defaultBranch: 'main', signal: never });
  const [ours, theirs] = [await files(directoryOf(fork)), await files(directoryOf(source))];
  t.ok(
    ours.some((path) => path.endsWith('.pack')),
    'one pack',
  );
  const inodes = new Set(await Promise.all(theirs.map(async (path) => (await stat(path)).ino)));
  for (const path of ours) {
    const { ino, nlink, mode } = await stat(path);
    t.equal(inodes.has(ino), false, path);
    t.equal(nlink, 1, path);
    t.equal(mode & 0o077, 0, `${path} is accessible only to the server's user`);
  }
  t.same(
    ours.filter((path) => /alternates|FETCH_HEAD|tmp_|\.lock$|\.keep$/.test(path)),
    [],
  );
  t.equal(
    await readFile(join(directoryOf(fork), 'config'), 'utf8'),
    await readFile(join(directoryOf(source), 'config'), 'utf8'),
    'no file names the source',
  );
});

void t.test('the entries of the pack and of every ref are synced to disk before a fork is acknowledged', async (t) => {
  const { native, directoryOf } = await filled(t);
  const git = (...args: readonly string[]) => must(directoryOf(source), args);
  await git('update-ref', 'refs/heads/team/deep/one', 'main');
  await git('update-ref', 'refs/tags/v1/rc', 'main');
  const synced = await syncedFolders(t);
  await native.fork(source, fork, { defaultBranch: 'main', signal: never });
  t.strictSame(
    [...synced]
      .filter((path) => path.startsWith(directoryOf(fork)))
      .map((path) => path.slice(directoryOf(fork).length + 1))
      .toSorted(),
    ['', 'objects/pack', 'refs', 'refs/heads', 'refs/heads/team', 'refs/heads/team/deep', 'refs/tags', 'refs/tags/v1'],
  );
});

void t.test("the forge's own refs and commits reachable only from them are not copied to a fork", async (t) => {
  const { native, directoryOf } = await filled(t);
  const git = (...args: readonly string[]) => must(directoryOf(source), args);
  const hidden = await git('commit-tree', '-m', 'hidden', `${await git('rev-parse', 'main')}^{tree}`);
  await git('update-ref', 'refs/hexforge/kept', hidden);
  await native.fork(source, fork, { defaultBranch: 'main', signal: never });
  t.same(
    (await native.refs(fork, 'all')).map(({ name }) => name),
    ['refs/heads/main', 'refs/heads/side'],
  );
  t.equal(await native.resolveCommit(fork, hidden), undefined);
});

void t.test('a commit of a fork is kept in the source without alternates', async (t) => {
  const { native, directoryOf } = await filled(t);
  await native.fork(source, fork, { defaultBranch: 'main', signal: never });
  const git = (...args: readonly string[]) => must(directoryOf(fork), args);
  const tree = await git('rev-parse', 'main^{tree}');
  const commit = await git('commit-tree', '-m', 'offered', '-p', 'main', tree);
  const keep = { from: fork, commit, ref: 'refs/merges/1/head' };
  let size = 0;
  const kept = await native.keepCommit(source, keep, {
    signal: never,
    judge: async (updates, objects) => {
      size = await objects.size();
      return updates.map(({ ref }) => ({ ref, refusal: undefined }));
    },
  });
  t.equal(kept, 'kept');
  t.ok(size > 100 && size < 1500, `a commit and an index, because the tree exists already: ${size}`);
  const ours = await files(directoryOf(source));
  t.same(
    ours.filter((path) => /alternates|FETCH_HEAD|tmp_|incoming-|\.lock$|\.keep$/.test(path)),
    [],
  );
  await native.remove(fork);
  t.equal(await must(directoryOf(source), ['fsck', '--full', '--no-dangling']), '');
  t.equal((await native.commitRecord(source, commit))?.message.trim(), 'offered');
});

void t.test('a failed fetch is an error whose detail has the reason', async (t) => {
  const { native, directoryOf } = await filled(t);
  for (const path of await files(join(directoryOf(source), 'objects'))) await rm(path);
  await t.rejects(native.fork(source, fork, { defaultBranch: 'main', signal: never }), {
    name: 'Internal',
    message: /fork/,
    detail: /./,
  });
});

void t.test('both sides of the fetch run the configured program, also if its path needs quoting', async (t) => {
  let log = '';
  const { native } = await filled(t, {
    gitPath: async (folder) => {
      log = join(folder, 'log');
      const path = join(folder, "it's git");
      await writeFile(path, `#!/bin/sh\necho "$*" >> "${log}"\nexec git "$@"\n`);
      await chmod(path, 0o700);
      return path;
    },
  });
  await native.fork(source, fork, { defaultBranch: 'main', signal: never });
  const said = await readFile(log, 'utf8');
  t.match(said, / fetch --quiet/);
  t.match(said, /safe\.directory=\* -c transfer\.hideRefs=refs\/hexforge upload-pack/);
});
