// Interrupted changes: locks left by a dead server or program are removed before the next change; locks of live
// processes are kept.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { gitNative, type GitNative } from '#adapters/git-native/index';
import { LiveProcesses } from '#adapters/git-native/process/launcher/live-processes';
import { startTimeOf, thisHost, type Mark } from '#adapters/git-native/process/launcher/process-table';
import { replaceUnderLock, writeSynced } from '#adapters/git-common/files/durable-files';
import { Changes } from '#adapters/git-native/changes/changes';
import { zeroOid } from '#core/repositories/git/git-backend';
import { serve } from '#test/contracts/git/http-server';
import { eventually } from '#test/contracts/git/provider';
import { must } from '#test/contracts/git/stock-git';
import { temporaryFolder } from '#test/support/folder';
import { withoutDescriptors } from './descriptors.ts';
import { pushable, quiet } from '../provider.ts';

const id = '0a000000-0000-4000-8000-000000000000';
/** Longer than one tick of the file system's clock. */
const tick = (): Promise<void> => pause(20);

interface Place {
  readonly root: string;
  readonly directory: string;
  readonly native: GitNative;
  readonly tip: string;
  /** The forge owns no files directly in it. */
  readonly folder: string;
}

/** A repository with one commit on `main`. */
async function place(t: Test): Promise<Place> {
  const folder = await temporaryFolder(t);
  const { root, directory, native, client, url } = await pushable(t, folder, id);
  await must(client, ['commit', '-q', '--allow-empty', '-m', 'one']);
  await must(client, ['push', '-q', url, 'main']);
  const tip = await must(client, ['rev-parse', 'main']);
  return { root, directory, native, tip, folder };
}

/** The marks of a process, as they remain after it was killed. */
async function marks(root: string, pid: number, changed: readonly string[]): Promise<string> {
  const name = `${thisHost()}.${pid}.${startTimeOf(String(pid)) ?? '1'}.${changed.join('')}`;
  const folder = join(root, '.processes', name, 'marks');
  await mkdir(folder, { recursive: true });
  for (const [index, each] of changed.entries()) await writeFile(join(folder, `${id}.${each}.${index}`), '');
  await tick();
  return name;
}

const locks = ['HEAD.lock', 'config.lock', 'packed-refs.lock', 'refs/heads/main.lock', 'refs/heads/new.lock'];
const ofObjects = [
  'objects/tmp_objdir-incoming-abc/pack/tmp_pack_y',
  'objects/pack/tmp_pack_x',
  'objects/17/tmp_obj_x',
];

async function plant(directory: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(directory, name, '..'), { recursive: true });
    await writeFile(join(directory, name), '');
  }
  await tick();
}

const left = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.lock$|tmp_/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .toSorted();

const creation = (tip: string, name = 'new') => [{ ref: `refs/heads/${name}`, old: zeroOid, new: tip }];

/** A git that runs `instead` the first time its arguments match `asked`. */
async function oddGit({ folder }: Place, instead: string, asked = '*update-ref*'): Promise<string> {
  const path = join(folder, 'git');
  await writeFile(
    path,
    `#!/bin/sh\ncase "$*" in ${asked.replaceAll(' ', String.raw`\ `)}) if mkdir '${folder}/first' 2>/dev/null; then ${instead}\nfi ;; esac\nexec git "$@"\n`,
  );
  await chmod(path, 0o755);
  return path;
}

/** A process that is running. */
async function living(t: Test): Promise<ChildProcess> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child;
}

void t.test('the next change of a live process removes locks and temporary files of a dead process', async (t) => {
  const here = await place(t);
  await marks(here.root, 999_999, ['refs', 'objects']);
  await plant(here.directory, [...locks, ...ofObjects]);
  t.equal(await here.native.moveRefs(id, creation(here.tip)), 'moved');
  await here.native.setDefaultBranch(id, 'new');
  t.strictSame(await left(here.directory), []);
  t.equal((await readdir(join(here.root, '.processes'))).length, 1, 'the dead process is unregistered');
});

void t.test(
  'a lock made in the same clock tick as the change began is removed after its process has died',
  async (t) => {
    const here = await place(t);
    // The clock of the file system ticks every few milliseconds; in one of these attempts all files have the same time.
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const folder = join(here.root, '.processes', `${thisHost()}.999999.1.moment`);
      await rm(folder, { recursive: true, force: true });
      await mkdir(join(folder, 'marks'), { recursive: true });
      const files = [join(folder, 'marks', `${id}.refs.1`), ...locks.map((name) => join(here.directory, name))];
      for (const file of files) await rm(file, { force: true });
      for (const file of files) writeFileSync(file, '', { flag: 'wx' });
      const times = await Promise.all(files.map(async (file) => (await stat(file)).ctimeMs));
      if (new Set(times).size === 1) break;
    }
    await tick();
    await here.native.setDefaultBranch(id, 'new');
    t.equal(await here.native.moveRefs(id, creation(here.tip)), 'moved');
    t.strictSame(await left(here.directory), []);
  },
);

void t.test('a waiting change of the default branch continues when the process that has the lock dies', async (t) => {
  const here = await place(t);
  const other = await living(t);
  await marks(here.root, other.pid ?? 0, ['refs']);
  await plant(here.directory, ['HEAD.lock']);
  const changed = here.native.setDefaultBranch(id, 'new');
  await pause(100);
  // The next change of the other process: this lock is younger than the wait for it.
  await writeFile(join(here.directory, 'draft'), '');
  await rename(join(here.directory, 'draft'), join(here.directory, 'HEAD.lock'));
  other.kill('SIGKILL');
  await changed;
  t.equal(await readFile(join(here.directory, 'HEAD'), 'utf8'), 'ref: refs/heads/new\n');
  t.strictSame(await left(here.directory), []);
});

for (const end of ['is killed', 'stops'])
  void t.test(`leftovers of a dead process are removed by another process if the first ${end} too early`, async (t) => {
    const here = await place(t);
    const other = await living(t);
    const beside = await marks(here.root, other.pid ?? 0, ['refs']);
    await marks(here.root, 999_999, ['refs']);
    await plant(here.directory, locks);
    const liveProcesses = new LiveProcesses(here.root);
    const changes = new Changes({ liveProcesses, directoryOf: () => here.directory, log: quiet });
    await changes.bury();
    t.strictSame(await left(here.directory), locks.toSorted(), 'they may belong to the live process');
    if (end === 'stops') await liveProcesses.unregister();
    await rename(liveProcesses.folder, join(here.root, '.processes', `${thisHost()}.999999.1.first`));
    await rm(join(here.root, '.processes', beside, 'marks', `${id}.refs.0`));
    t.equal(await here.native.moveRefs(id, creation(here.tip)), 'moved');
    t.strictSame(await left(here.directory), []);
    await liveProcesses.unregister();
  });

void t.test('a program left by a dead process is ended by a later cleanup if the first cleanup failed', async (t) => {
  const here = await place(t);
  let fails = true;
  const ended: (readonly Mark[])[] = [];
  const liveProcesses = new LiveProcesses(here.root, undefined, (programs) => {
    ended.push(programs);
    return fails ? Promise.reject(new Error('no descriptor')) : Promise.resolve();
  });
  t.teardown(() => liveProcesses.unregister());
  const changes = new Changes({ liveProcesses, directoryOf: () => here.directory, log: quiet });
  await marks(here.root, 999_999, ['refs']);
  await plant(here.directory, locks);
  await changes.bury();
  t.strictSame(await left(here.directory), locks.toSorted());
  fails = false;
  await changes.bury();
  t.strictSame(await left(here.directory), []);
  t.strictSame(ended[1], ended[0]);
});

void t.test('a branch named like a mark is not counted as a change while its push is judged', async (t) => {
  const here = await place(t);
  const other = await living(t);
  const name = await marks(here.root, other.pid ?? 0, ['objects']);
  const push = join(here.root, '.processes', name, '6b2e1f60-0000-4000-8000-000000000000');
  await mkdir(join(push, 'verdicts/refs/heads/marks', `${id}.refs.1`), { recursive: true });
  await tick();
  await marks(here.root, 999_999, ['refs']);
  await plant(here.directory, locks);
  t.equal(await here.native.moveRefs(id, creation(here.tip)), 'moved');
  t.strictSame(await left(here.directory), []);
});

void t.test('a push succeeds on a branch that a dead process had locked', async (t) => {
  const { root, directory, native, folder } = await place(t);
  const server = await serve(native);
  t.teardown(() => server.stop());
  await marks(root, 999_999, ['refs']);
  await plant(directory, locks);
  const client = join(folder, 'client');
  await must(client, ['commit', '-q', '--allow-empty', '-m', 'two']);
  await must(client, ['push', '-q', server.url(id), 'main']);
  t.equal(await native.resolveCommit(id, 'main'), await must(client, ['rev-parse', 'main']));
});

void t.test('a lock that may belong to a live process is kept until that process has ended', async (t) => {
  const here = await place(t);
  const other = await living(t);
  await marks(here.root, 999_999, ['refs']);
  await plant(here.directory, ['refs/heads/dead.lock']);
  await marks(here.root, other.pid ?? 0, ['refs']);
  await plant(here.directory, locks);
  t.equal(
    await here.native.moveRefs(id, creation(here.tip, 'dead')),
    'moved',
    'a lock older than the change of the live process is removed',
  );
  t.strictSame(await left(here.directory), locks.toSorted());
  await Promise.all([
    t.rejects(here.native.moveRefs(id, creation(here.tip)), { name: 'Unavailable', message: /Another process/ }),
    t.rejects(here.native.setDefaultBranch(id, 'main'), { name: 'Conflict' }),
  ]);
  t.strictSame(await left(here.directory), locks.toSorted());
  other.kill('SIGKILL');
  await once(other, 'exit');
  t.equal(await here.native.moveRefs(id, creation(here.tip)), 'moved');
  t.strictSame(await left(here.directory), []);
});

void t.test(
  'keeps locks that no process of the forge made, and all locks next to a process of an earlier version',
  async (t) => {
    const here = await place(t);
    const liveProcesses = new LiveProcesses(here.root);
    const changes = new Changes({ liveProcesses, directoryOf: () => here.directory, log: quiet });
    t.teardown(() => liveProcesses.unregister());
    await plant(here.directory, ['refs/heads/new.lock']);
    await marks(here.root, 999_999, ['refs']);
    await plant(here.directory, ['HEAD.lock']);
    await changes.bury();
    t.strictSame(await left(here.directory), ['refs/heads/new.lock'], 'it existed before the dead process began');
    const other = await living(t);
    const earlier = await marks(here.root, other.pid ?? 0, []);
    await rm(join(here.root, '.processes', earlier, 'marks'), { recursive: true });
    await marks(here.root, 999_999, ['refs']);
    await plant(here.directory, ['HEAD.lock']);
    await changes.bury();
    t.strictSame(await left(here.directory), ['HEAD.lock', 'refs/heads/new.lock']);
  },
);

void t.test('a program that a killed server left running is ended before its locks are removed', async (t) => {
  const here = await place(t);
  const { root, directory, folder, native, tip } = here;
  const gitPath = await oddGit(
    here,
    `trap '' TERM HUP PIPE; : > '${directory}/refs/heads/new.lock'; echo $$ > '${folder}/pid'; sleep 60`,
  );
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { gitNative } from '#adapters/git-native/index';
       const log = { debug() {}, info() {}, warn() {}, error() {} };
       const native = gitNative({ root: ${JSON.stringify(root)}, log, gitPath: ${JSON.stringify(gitPath)} });
       await native.moveRefs('${id}', ${JSON.stringify(creation(tip))});`,
    ],
    { cwd: join(import.meta.dirname, '../../../..'), stdio: 'inherit' },
  );
  const pid = (): Promise<string> => readFile(join(folder, 'pid'), 'utf8').catch(() => '');
  await eventually(async () => (await pid()).endsWith('\n'), pid);
  child.kill('SIGKILL');
  await once(child, 'exit');
  t.ok((await stat(join(directory, 'refs/heads/new.lock'))).isFile());
  t.not(startTimeOf((await pid()).trim()), undefined, 'it ignores the signals that the launcher sends at its end');
  t.equal(await native.moveRefs(id, creation(tip)), 'moved');
  t.equal(startTimeOf((await pid()).trim()), undefined);
  t.strictSame(await left(directory), []);
});

void t.test('a lock that a killed git left in a live server is removed when its change has failed', async (t) => {
  const here = await place(t);
  const gitPath = await oddGit(here, `: > '${here.directory}/refs/heads/new.lock'; sleep 0.05; kill -9 $$`);
  const native = gitNative({ root: here.root, log: quiet, gitPath });
  t.teardown(() => native.close());
  await t.rejects(native.moveRefs(id, creation(here.tip)), { name: 'Unavailable' });
  t.strictSame(await left(here.directory), []);
  t.equal(await native.moveRefs(id, creation(here.tip)), 'moved');
});

void t.test('a lock that a git run by hand takes during a change is kept when the change is rejected', async (t) => {
  const here = await place(t);
  const gitPath = await oddGit(here, `: > '${here.directory}/refs/heads/new.lock'; sleep 0.05; exec git "$@"`);
  const native = gitNative({ root: here.root, log: quiet, gitPath });
  t.teardown(() => native.close());
  await t.rejects(native.moveRefs(id, creation(here.tip)), { name: 'Unavailable', message: /Another process/ });
  t.strictSame(await left(here.directory), ['refs/heads/new.lock']);
});

void t.test('temporary files of a git that failed on a full disk are removed', async (t) => {
  const here = await place(t);
  const file = (name: string): string => `'${here.directory}/objects/${name}'`;
  const gitPath = await oddGit(
    here,
    `mkdir -p ${file('info/commit-graphs')}; : > ${file('pack/tmp_pack_x')}; : > ${file('info/commit-graphs/tmp_graph_x')}; exit 128`,
    '*commit-graph write*',
  );
  const native = gitNative({ root: here.root, log: quiet, gitPath, limits: { graphObjects: 0 } });
  t.teardown(() => native.close());
  await native.maintain(id);
  t.ok((await readdir(here.folder)).includes('first'), 'the replaced command was run');
  t.strictSame(await left(here.directory), []);
});

/** A change that is about to be interrupted, and the objects that clean up after it. */
async function brokenOff(t: Test) {
  const here = await place(t);
  const liveProcesses = new LiveProcesses(here.root);
  t.teardown(() => liveProcesses.unregister());
  const changes = new Changes({ liveProcesses, directoryOf: () => here.directory, log: quiet });
  const mark = await changes.begin({ id, directory: here.directory, cacheKey: id }, 'objects');
  await tick();
  await plant(here.directory, ofObjects);
  const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
  return { ...here, liveProcesses, changes, mark, failing };
}

void t.test('leftovers of a change are removed even if no mark can be written', async (t) => {
  const { liveProcesses, changes, mark, failing, directory } = await brokenOff(t);
  liveProcesses.mark = failing('ENOSPC');
  await changes.end(mark, false);
  t.strictSame(await left(directory), []);
  t.strictSame(await readdir(liveProcesses.folder, { recursive: true }), ['left', 'marks']);
});

void t.test('leftovers that could not be removed are removed when the server stops', async (t) => {
  const { liveProcesses, changes, mark, directory } = await brokenOff(t);
  await withoutDescriptors(() => changes.end(mark, false));
  t.equal((await left(directory)).length, ofObjects.length);
  await changes.settle();
  t.strictSame(await left(directory), []);
  t.strictSame(await readdir(liveProcesses.folder, { recursive: true }), ['left', 'marks']);
});

void t.test('leftovers that a stopping server cannot remove are removed by another process', async (t) => {
  const { liveProcesses, changes, mark, failing, directory, root } = await brokenOff(t);
  const { firstChange } = liveProcesses;
  liveProcesses.firstChange = failing('EIO');
  await changes.end(mark, false);
  await changes.settle();
  await liveProcesses.unregister();
  t.equal((await left(directory)).length, ofObjects.length);
  const gone = join(root, '.processes', `${thisHost()}.999999.1.gone`);
  await rename(liveProcesses.folder, gone);
  const survivor = new LiveProcesses(root);
  t.teardown(() => survivor.unregister());
  survivor.firstChange = failing('EIO');
  const clearing = new Changes({ liveProcesses: survivor, directoryOf: () => directory, log: quiet });
  await clearing.bury();
  t.equal((await left(directory)).length, ofObjects.length, 'this fails at first too');
  survivor.firstChange = firstChange;
  await clearing.settle();
  t.strictSame(await left(directory), []);
  t.strictSame(
    await readdir(survivor.folder, { recursive: true }),
    ['left', 'marks'],
    'the dead process is unregistered',
  );
});

void t.test('the cleanup of a dead process that failed with EMFILE is repeated later', async (t) => {
  const { root, directory } = await place(t);
  const name = await marks(root, 999_999, ['refs', 'objects']);
  await plant(directory, [...locks, ...ofObjects]);
  const liveProcesses = new LiveProcesses(root);
  t.teardown(() => liveProcesses.unregister());
  await liveProcesses.register();
  await withoutDescriptors(() => t.rejects(liveProcesses.bury(name), { code: 'EMFILE' }));
  await new Changes({ liveProcesses, directoryOf: () => directory, log: quiet }).bury();
  t.strictSame(await left(directory), []);
});

void t.test('a push whose refs moved before the launcher was killed is reported as successful', async (t) => {
  const here = await place(t);
  const { root, folder } = here;
  const gitPath = await oddGit(
    here,
    `git "$@" > '${folder}/report'; kill -9 $PPID; sleep 60`,
    'receive-pack --stateless-rpc /*',
  );
  const native = gitNative({ root, log: quiet, gitPath });
  t.teardown(() => native.close());
  const server = await serve(native);
  t.teardown(() => server.stop());
  const client = join(folder, 'client');
  await must(client, ['push', server.url(id), 'main:late', 'main:later']);
  t.match(
    server.landed.flat().map(({ ref }) => ref),
    ['refs/heads/late', 'refs/heads/later'],
  );
  t.equal(await native.resolveCommit(id, 'later'), here.tip);
});

void t.test('a file that cannot be replaced is unchanged and unlocked', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-broken-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'HEAD', 'in-the-way'), { recursive: true });
  await t.rejects(replaceUnderLock(join(folder, 'HEAD'), 'text'));
  t.strictSame(await readdir(folder), ['HEAD']);
  // As on a full disk: the file is created, but writing to it fails.
  await t.rejects(writeSynced(join(folder, 'draft'), undefined as unknown as string));
  t.strictSame(await readdir(folder), ['HEAD']);
});

/**
 * Runs a module that defines `look`, which is called once with too few descriptors and once with enough. Returns both
 * results.
 */
async function withFewDescriptors(t: Test, look: string): Promise<readonly string[]> {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `${look}
       process.stdin.on('data', async () => console.log(await look().then(String, ({ code }) => code)));
       console.log('ready');`,
    ],
    { cwd: join(import.meta.dirname, '../../../..'), stdio: ['pipe', 'pipe', 'inherit'] },
  );
  t.teardown(() => child.kill('SIGKILL'));
  const limit = (files: number): Promise<unknown> =>
    promisify(execFile)('prlimit', ['--pid', String(child.pid), `--nofile=${files}:`]);
  const said = async (): Promise<string> => String(((await once(child.stdout, 'data')) as [Buffer])[0]).trim();
  await said();
  const answers: string[] = [];
  for (const files of [8, 1024]) {
    await limit(files);
    const answer = said();
    child.stdin.write('go\n');
    answers.push(await answer);
  }
  return answers;
}

void t.test('a folder is synced after a first attempt without a free descriptor', async (t) => {
  t.strictSame(
    await withFewDescriptors(
      t,
      `import { open } from 'node:fs/promises';
       import { syncFolder } from '#adapters/git-common/files/durable-files';
       let syncing;
       const look = async () => {
         if (syncing !== undefined) return await syncing;
         syncing = syncFolder('.').then(() => 'synced');
         await open('.');
       };`,
    ),
    ['EMFILE', 'synced'],
  );
});

void t.test('the start time of a live process is not misread without a free descriptor', async (t) => {
  t.strictSame(
    await withFewDescriptors(
      t,
      `import { startTimeOf } from '#adapters/git-native/process/launcher/process-table';
       const look = async () => startTimeOf('${process.pid}');`,
    ),
    ['EMFILE', startTimeOf(String(process.pid))],
  );
});

void t.test('registering the process fails while a file is in the way, and works again afterwards', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-broken-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const native = gitNative({ root: folder, log: quiet });
  t.teardown(() => native.close());
  await writeFile(join(folder, '.processes'), 'in the way');
  await t.rejects(native.create(id, { defaultBranch: 'main' }));
  await rm(join(folder, '.processes'));
  await native.create(id, { defaultBranch: 'main' });
  await native.setDefaultBranch(id, 'one');
  t.equal(await readFile(join(folder, '0a', `${id}.git`, 'HEAD'), 'utf8'), 'ref: refs/heads/one\n');
});

void t.test(
  'a server in another container with the same host name is alive while its heartbeat changes, whatever its clock',
  async (t) => {
    const root = await mkdtemp(join(tmpdir(), 'hexforge-'));
    t.teardown(() => rm(root, { recursive: true, force: true }));
    const other = `${hostname().replaceAll(/[^\w-]/g, '-')}-0-0.1.1.other`;
    const folder = join(root, '.processes', other);
    await mkdir(join(folder, 'marks'), { recursive: true });
    await utimes(folder, new Date(0), new Date(0));
    await tick();
    const [patient, impatient] = [new LiveProcesses(root), new LiveProcesses(root, 1)];
    for (const each of [patient, impatient]) await each.register();
    t.ok((await patient.others()).living.includes(other));
    t.ok((await impatient.others()).dead.includes(other), 'no heartbeat for too long');
    for (const each of [patient, impatient]) await each.unregister();
  },
);
