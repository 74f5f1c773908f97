// The native git adapter beyond its port: environment, files, processes and sweeping.
import { Buffer } from 'node:buffer';
import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { gitNative, installedVersion, type GitNative, type GitVersion } from '#adapters/git-native/index';
import { CatFile, largestRead } from '#adapters/git-native/objects/cat-file';
import { CatFilePool } from '#adapters/git-native/objects/cat-file-pool';
import { GitProcesses } from '#adapters/git-native/process/git-process';
import { thisHost } from '#adapters/git-native/process/launcher/process-table';
import { serve } from '#test/contracts/git/http-server';
import { bytesOf, eventually, never } from '#test/contracts/git/provider';
import { must } from '#test/contracts/git/stock-git';
import { commandLines } from '#test/support/servers/server-process';
import { notingGit, quiet } from './provider.ts';

const id = '0a000000-0000-4000-8000-000000000000';

async function folderOf(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-native-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An adapter with one repository that has one commit of `file`. */
async function withCommit(
  t: Test,
  root: string,
  native: GitNative = gitNative({ root, log: quiet }),
): Promise<{ readonly native: GitNative; readonly directory: string; readonly tip: string }> {
  t.teardown(() => native.close());
  await native.create(id, { defaultBranch: 'main' });
  const server = await serve(native);
  const folder = await folderOf(t);
  await must(folder, ['init', '-q', '-b', 'main', '.']);
  await writeFile(join(folder, 'file'), 'content');
  await must(folder, ['add', '.']);
  await must(folder, ['commit', '-q', '-m', 'one']);
  await must(folder, ['push', '-q', server.url(id), 'main']);
  await server.stop();
  return { native, directory: join(root, '0a', `${id}.git`), tip: await must(folder, ['rev-parse', 'main']) };
}

async function script(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
  return path;
}

void t.test('a missing, foreign or outdated git is rejected with one sentence that names the remedy', async (t) => {
  const folder = await folderOf(t);
  const versionOf = async (gitPath: string): Promise<GitVersion> => {
    const native = gitNative({ root: join(folder, 'root'), log: quiet, gitPath });
    t.teardown(() => native.close());
    return await native.version();
  };
  const remedy =
    /^[^\n]*[;:] install git 2\.39 or newer, set plugins\.git-native\.program to one, or do without with HEXFORGE_PLUGINS=-git-native,\+git-wasm$/;
  for (const [path, why] of [
    [join(folder, 'absent'), /^git is missing: ".*absent" does not start/],
    [await script(folder, 'other', 'echo hello'), /^git is missing: ".*other" is not git/],
    [await script(folder, 'failing', 'exit 3'), /^git is missing: ".*failing" is not git/],
    [await script(folder, 'old', 'echo git version 2.38.5'), /^git 2\.38\.5 at ".*old" is too old/],
    [await script(folder, 'ancient', 'echo git version 1.99.0'), /too old/],
  ] as const) {
    await t.rejects(versionOf(path), { name: 'Unavailable', message: why });
    await t.rejects(versionOf(path), { message: remedy });
    await t.rejects(installedVersion(path), { name: 'Unavailable', message: why });
  }
  t.match(await versionOf(await script(folder, 'vendor', 'echo "git version 2.50.1 (Apple Git-155)"')), {
    major: 2,
    minor: 50,
    patch: 1,
    text: '2.50.1',
  });
  t.ok((await versionOf('git')).major >= 2);
});

void t.test('fails while no temporary folder can be made, and works again afterwards', async (t) => {
  const native = gitNative({ root: join(await folderOf(t), 'root'), log: quiet });
  const before = process.env['TMPDIR'];
  const restore = (): void => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  };
  t.teardown(restore);
  t.teardown(() => native.close());
  process.env['TMPDIR'] = '/nowhere';
  await t.rejects(native.version(), { name: 'Unavailable', message: /no temporary folder can be made/ });
  restore();
  t.ok((await native.version()).major >= 2);
});

void t.test('a ref does not move after its move has failed, even if the launcher of git was killed', async (t) => {
  const folder = await folderOf(t);
  const root = join(folder, 'root');
  const { tip } = await withCommit(t, root);
  const slow = await script(
    folder,
    'git',
    `case "$*" in *update-ref*) trap "" TERM HUP PIPE; cat > '${folder}/input'; echo $PPID > '${folder}/helper'; while [ ! -e '${folder}/go' ]; do sleep 0.1; done; exec git "$@" < '${folder}/input' > /dev/null ;; esac\nexec git "$@"`,
  );
  const native = gitNative({ root, log: quiet, gitPath: slow });
  t.teardown(() => native.close());
  const moving = native.moveRefs(id, [{ ref: 'refs/heads/late', old: '0'.repeat(40), new: tip }]);
  const helper = (): Promise<string> => readFile(join(folder, 'helper'), 'utf8').catch(() => '');
  await eventually(async () => (await helper()).endsWith('\n'), helper);
  process.kill(Number(await helper()), 'SIGKILL');
  await t.rejects(moving, { name: 'Unavailable' });
  // A git process that survived would continue now.
  await writeFile(join(folder, 'go'), '');
  await new Promise((resolve) => setTimeout(resolve, 700));
  t.equal(await native.resolveCommit(id, 'late'), undefined);
});

void t.test('no environment variable and no git configuration of the machine reaches git', async (t) => {
  const root = join(await folderOf(t), 'root');
  const { native, tip } = await withCommit(t, root);
  const poison = {
    GIT_DIR: '/nonexistent',
    GIT_OBJECT_DIRECTORY: '/nonexistent',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.bare',
    GIT_CONFIG_VALUE_0: 'nonsense',
    GIT_TRACE: '1',
    GIT_EXEC_PATH: '/nonexistent',
  };
  const before = { ...process.env };
  Object.assign(process.env, poison);
  t.teardown(() => {
    for (const name of Object.keys(poison)) delete process.env[name];
    Object.assign(process.env, before);
  });
  const other = gitNative({ root, log: quiet });
  t.teardown(() => other.close());
  t.equal(await other.resolveCommit(id, 'main'), tip);
  t.equal((await other.refs(id, 'all')).length, 1);
  t.match(
    (
      await bytesOf(await other.advertise(id, { service: 'git-upload-pack', protocol: undefined, signal: never }))
    ).toString('latin1'),
    tip,
  );
  await native.maintain(id);
});

void t.test('files below the root are accessible only to the server’s user, and git fsck accepts them', async (t) => {
  const root = join(await folderOf(t), 'root');
  const { native, directory } = await withCommit(t, root, gitNative({ root, log: quiet, limits: { graphObjects: 1 } }));
  await native.maintain(id);
  const open: string[] = [];
  for (const name of ['', ...(await readdir(root, { recursive: true }))]) {
    const { mode } = await stat(join(root, name));
    if ((mode & 0o077) !== 0) open.push(`${name} ${mode.toString(8)}`);
  }
  t.strictSame(open, []);
  await must('/', [`--git-dir=${directory}`, 'fsck', '--full', '--strict']);
  t.match(
    await readdir(join(directory, 'objects', 'info', 'commit-graphs')),
    [/^graph-/, 'commit-graph-chain'].toReversed(),
  );
});

void t.test('a repository gets a commit-graph once it has enough objects for one to be of use', async (t) => {
  const folder = await folderOf(t);
  const root = join(folder, 'root');
  const { gitPath, started } = await notingGit(folder);
  const graphs = async (): Promise<number> =>
    (await started()).filter((command) => command.includes('commit-graph write')).length;
  // A commit, a tree and a blob.
  const few = gitNative({ root, log: quiet, gitPath, limits: { graphObjects: 4 } });
  await withCommit(t, root, few);
  await few.maintain(id);
  t.equal(await graphs(), 0);
  const enough = gitNative({ root, log: quiet, gitPath, limits: { graphObjects: 3 } });
  t.teardown(() => enough.close());
  await enough.maintain(id);
  t.equal(await graphs(), 1);
});

void t.test('a killed cat-file process is replaced during the same request', async (t) => {
  const root = join(await folderOf(t), 'root');
  const { native, directory, tip } = await withCommit(t, root);
  t.equal((await native.entry(id, tip, 'file'))?.size, 7);
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid,args']);
  const readers = stdout.split('\n').filter((line) => line.includes(directory) && line.includes('--batch-command'));
  t.equal(readers.length, 1);
  for (const line of readers) process.kill(Number(line.trim().split(' ')[0]), 'SIGKILL');
  const blob = await native.blob(id, (await native.entry(id, tip, 'file'))?.oid ?? '');
  t.equal((await bytesOf(blob.bytes)).toString(), 'content');
});

void t.test('an idle cat-file process ends, also after several requests', async (t) => {
  const root = join(await folderOf(t), 'root');
  const { directory, tip } = await withCommit(t, root);
  const processes = new GitProcesses('git');
  t.teardown(() => processes.close());
  const readers = new CatFilePool(processes, {
    limit: 2,
    stallMs: 30_000,
    allocationBytes: 64 * 1024 ** 2,
    idleMs: 100,
  });
  for (let times = 0; times < 3; times += 1) t.equal((await readers.info(directory, tip))?.type, 'commit');
  const working = (): readonly string[] =>
    commandLines().filter((line) => line.includes(directory) && line.includes('--batch-command'));
  await eventually(async () => working().length === 0, working);
});

void t.test('an object that is too large is skipped, and the next request is answered', async (t) => {
  const root = join(await folderOf(t), 'root');
  const { native, directory, tip } = await withCommit(t, root);
  await writeFile(join(root, 'large'), Buffer.alloc(largestRead + 1));
  const large = await must(root, [`--git-dir=${directory}`, 'hash-object', '-w', join(root, 'large')]);
  const processes = new GitProcesses('git');
  const reader = new CatFile(processes, directory, {
    stallMs: 30_000,
    allocationBytes: 64 * 1024 ** 2,
    onIdle: () => undefined,
  });
  t.teardown(() => processes.close());
  const [passed, commit, absent] = await Promise.all([
    reader.ask('contents', large),
    reader.ask('contents', tip),
    reader.ask('info', 'f'.repeat(40)),
  ]);
  t.strictSame(passed, { oid: large, type: 'blob', size: largestRead + 1, content: undefined });
  t.match(commit, { oid: tip, type: 'commit' });
  t.equal(absent, undefined);
  t.equal((await reader.ask('info', large))?.size, largestRead + 1);
  t.equal(
    (await reader.ask('contents', tip, (commit?.size ?? 0) - 1))?.content,
    undefined,
    'an object larger than the requested limit is undefined',
  );
  t.equal((await reader.ask('contents', tip, commit?.size))?.content?.length, commit?.size);
  t.equal(await native.commitRecord(id, large), undefined, 'it is not a commit');
});

void t.test('a cat-file process that has ended rejects requests', async (t) => {
  const processes = new GitProcesses('git');
  await processes.close();
  const reader = new CatFile(processes, await folderOf(t), {
    stallMs: 30_000,
    allocationBytes: 64 * 1024 ** 2,
    onIdle: () => undefined,
  });
  await reader.ended;
  await t.rejects(reader.ask('info', 'f'.repeat(40)), { name: 'Unavailable' });
});

void t.test('closing ends every process, and no process starts afterwards', async (t) => {
  const root = join(await folderOf(t), 'root');
  const { native, tip } = await withCommit(t, root);
  await native.entry(id, tip, 'file');
  await native.advertise(id, { service: 'git-upload-pack', protocol: undefined, signal: never });
  await native.close();
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'stat,args']);
  t.strictSame(
    stdout.split('\n').filter((line) => line.includes(root) && !line.startsWith('Z')),
    [],
  );
  await t.rejects(native.moveRefs(id, [{ ref: 'refs/heads/x', old: '0'.repeat(40), new: tip }]), {
    name: 'Unavailable',
  });
  t.strictSame(await readdir(join(root, '.processes')), []);
});

const stale = [
  'HEAD.lock',
  'packed-refs.lock',
  'refs/heads/main.lock',
  'refs/heads/a/b.lock',
  'objects/pack/tmp_pack_x',
  'objects/pack/tmp_idx_x',
  'objects/pack/.tmp-1-pack-x.pack',
  'objects/tmp_objdir-incoming-abc/pack/tmp_pack_y',
  'objects/incoming-abc/x',
  'objects/17/tmp_obj_x',
  'objects/info/commit-graphs/tmp_graph_x',
  'objects/info/commit-graphs/commit-graph-chain.lock',
];

async function plant(directory: string, when: Date): Promise<void> {
  for (const name of stale) {
    const path = join(directory, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, '');
    await utimes(path, when, when);
    if (name.includes('incoming')) await utimes(join(directory, name.split('/').slice(0, 2).join('/')), when, when);
  }
  await writeFile(join(directory, 'objects/pack/pack-x.keep'), 'receive-pack 1 on host');
  await utimes(join(directory, 'objects/pack/pack-x.keep'), when, when);
  await writeFile(join(directory, 'objects/pack/pack-y.keep'), 'kept by the operator');
  await utimes(join(directory, 'objects/pack/pack-y.keep'), when, when);
}

const left = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory, { recursive: true }))
    .filter((name) => /lock$|tmp|incoming-\w+$|keep$/.test(name))
    .toSorted();

void t.test('sweeping removes only files that a killed process left', async (t) => {
  const root = join(await folderOf(t), 'root');
  const { native, directory, tip } = await withCommit(t, root);
  await native.close();
  await plant(directory, new Date(Date.now() - 60_000));
  await mkdir(join(root, '.trash', 'gone', 'objects'), { recursive: true });
  await mkdir(join(root, '0b', '0b000000-0000-4000-8000-000000000000.git', 'objects', 'tmp_objdir-incoming-abc'), {
    recursive: true,
  });
  await mkdir(join(root, '.processes', `${thisHost()}.999999.1.dead`, 'new', 'half'), { recursive: true });
  const next = gitNative({ root, log: quiet });
  await next.sweep();
  t.strictSame(await left(directory), ['objects/pack/pack-y.keep']);
  t.equal(await next.resolveCommit(id, 'main'), tip);
  t.strictSame(await next.list(), [id]);
  t.equal((await readdir(join(root, '.processes'))).length, 1);
  await next.close();
  t.strictSame(await readdir(join(root, '.trash')), []);
});

void t.test('sweeping next to a live process keeps files that it may be writing', async (t) => {
  const root = join(await folderOf(t), 'root');
  const { native, directory } = await withCommit(t, root);
  await native.sweep();
  await plant(directory, new Date(Date.now() - 60_000));
  const before = await left(directory);
  const beside = gitNative({ root, log: quiet });
  t.teardown(() => beside.close());
  await beside.sweep();
  t.strictSame(await left(directory), before);
  await plant(directory, new Date(Date.now() - 24 * 3600_000));
  await beside.sweep();
  t.strictSame(await left(directory), ['objects/pack/pack-y.keep']);
});

void t.test('operations on a repository that another process is removing reject with NotFound', async (t) => {
  const folder = await folderOf(t);
  const root = join(folder, 'root');
  const removing = await script(folder, 'git', `rm -rf '${join(root, '0a', `${id}.git`)}'\nexec git "$@"`);
  const native = gitNative({ root, log: quiet, gitPath: removing });
  t.teardown(() => native.close());
  for (const [name, asked] of Object.entries({
    'a commit': () => native.resolveCommit(id, 'a'.repeat(40)),
    advertisement: () => native.advertise(id, { service: 'git-upload-pack', protocol: 'version=2', signal: never }),
    'advertisement for a push': () =>
      native.advertise(id, { service: 'git-receive-pack', protocol: undefined, signal: never }),
    'moving a ref': () => native.moveRefs(id, [{ ref: 'refs/heads/x', old: '0'.repeat(40), new: 'a'.repeat(40) }]),
  })) {
    await native.create(id, { defaultBranch: 'main' });
    await t.rejects(async () => await asked(), { name: 'NotFound' }, name);
  }
});

void t.test('files that git writes into a removed repository are removed too', async (t) => {
  const folder = await folderOf(t);
  const root = join(folder, 'root');
  const directory = join(root, '0a', `${id}.git`);
  // Like index-pack and update-ref, which create missing folders.
  const late = await script(
    folder,
    'git',
    `git "$@"\ncode=$?\ncase "$*" in *http-backend*) ;; receive-pack*|*update-ref*|*commit-graph*) rm -rf '${directory}'; mkdir -p '${directory}/objects/pack' ;; esac\nexit $code`,
  );
  const { tip } = await withCommit(t, root, gitNative({ root, log: quiet, gitPath: late }));
  t.strictSame(await readdir(join(root, '0a')), [], 'a push');
  const healthy = gitNative({ root, log: quiet });
  const native = gitNative({ root, log: quiet, gitPath: late, limits: { graphObjects: 0 } });
  t.teardown(() => Promise.all([healthy.close(), native.close()]));
  for (const [name, write] of Object.entries({
    'moving a ref': () => native.moveRefs(id, [{ ref: 'refs/heads/x', old: '0'.repeat(40), new: tip }]),
    upkeep: () => native.maintain(id),
  })) {
    await healthy.create(id, { defaultBranch: 'main' });
    await write().catch(() => undefined);
    t.strictSame(await readdir(join(root, '0a')), [], name);
  }
});

void t.test('a stopped fetch is rejected even if git exits with 0', async (t) => {
  const folder = await folderOf(t);
  // Like upload-pack that finishes at the moment of the signal.
  const slow = await script(folder, 'git', 'trap "" TERM\nsleep 0.5\nexit 0');
  const native = gitNative({ root: join(folder, 'root'), log: quiet, gitPath: slow, limits: { transferSeconds: 0.2 } });
  t.teardown(() => native.close());
  await native.create(id, { defaultBranch: 'main' });
  const body = async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('0000');
  };
  await t.rejects(
    native.uploadPack(id, { service: 'git-upload-pack', protocol: 'version=2', body: body(), signal: never }),
    { name: 'Unavailable', message: /was stopped/ },
  );
});

void t.test('a clone finishes although its repository is removed', async (t) => {
  const root = join(await folderOf(t), 'root');
  const { native } = await withCommit(t, root);
  const server = await serve(native);
  t.teardown(() => server.stop());
  const folder = await folderOf(t);
  await must(folder, ['clone', '-q', server.url(id), '.']);
  // More than the pipes and buffers in between can store.
  await writeFile(
    join(folder, 'large'),
    Buffer.from(Array.from({ length: 4_000_000 }, () => Math.floor(Math.random() * 256))),
  );
  await must(folder, ['add', '.']);
  await must(folder, ['commit', '-q', '-m', 'large']);
  await must(folder, ['push', '-q', server.url(id), 'main']);
  const line = (text: string): string => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
  const wants = `${line('command=fetch')}0001${line(`want ${await must(folder, ['rev-parse', 'main'])}\n`)}${line('done\n')}0000`;
  const body = async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(wants);
  };
  const answer = (
    await native.uploadPack(id, { service: 'git-upload-pack', protocol: 'version=2', body: body(), signal: never })
  )[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  // By then git has opened the files that it sends.
  while (Buffer.concat(chunks).length < 200_000) chunks.push((await answer.next()).value as Uint8Array);
  await native.remove(id);
  for (let read = await answer.next(); read.done !== true; read = await answer.next()) chunks.push(read.value);
  const whole = Buffer.concat(chunks);
  t.ok(whole.length > 4_000_000, `${whole.length} bytes`);
  t.equal(whole.subarray(-4).toString('latin1'), '0000');
});

void t.test('a push whose repository is removed is rejected with a reason', async (t) => {
  const root = join(await folderOf(t), 'root');
  const { native } = await withCommit(t, root);
  const server = await serve(native);
  t.teardown(() => server.stop());
  server.judge = async () => {
    await native.remove(id);
    return [];
  };
  const folder = await folderOf(t);
  await must(folder, ['init', '-q', '-b', 'main', '.']);
  await must(folder, ['commit', '-q', '--allow-empty', '-m', 'x']);
  await t.rejects(must(folder, ['push', '-q', server.url(id), 'main:a', 'main:b']), {
    message: /\[remote rejected\] main -> b \(the repository was removed\)/,
  });
  t.strictSame(await readdir(join(root, '0a')), []);
  server.judge = async () => {
    await rm(join(root, '0a', `${id}.git`), { recursive: true });
    throw new Error('as git does where it finds no repository');
  };
  await native.create(id, { defaultBranch: 'main' });
  await t.rejects(must(folder, ['push', '-q', server.url(id), 'main:a']), {
    message: /remote: The repository was removed/,
  });
});

void t.test('a push is rejected if its hooks are not executable, because git would skip them', async (t) => {
  const root = join(await folderOf(t), 'root');
  const { native } = await withCommit(t, root);
  const [hash = ''] = await readdir(join(root, '.hooks'));
  const hook = join(root, '.hooks', hash, 'update');
  await chmod(hook, 0o600);
  const zero = '0'.repeat(40);
  const line = `${zero} ${'a'.repeat(40)} refs/heads/x\0report-status`;
  const body = async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
  };
  const told = (): Promise<void> => Promise.reject(new Error('told'));
  await t.rejects(
    native.receivePack(id, {
      service: 'git-receive-pack',
      protocol: undefined,
      signal: never,
      body: body(),
      judge: async () => [],
      announced: told,
      landed: told,
    }),
    { name: 'Internal', message: /cannot be executed/ },
  );
  await writeFile(hook, '#!/bin/sh\nexit 0\n');
  await chmod(hook, 0o700);
  const writer = await folderOf(t);
  const server = await serve(native);
  server.judge = async (updates) =>
    updates.map(({ ref }) => ({ ref, refusal: ref.endsWith('/refused') ? 'no' : undefined }));
  await must(writer, ['init', '-q', '-b', 'main', '.']);
  await must(writer, ['commit', '-q', '--allow-empty', '-m', 'x']);
  await must(writer, ['push', '-q', server.url(id), 'main:kept', 'main:refused']).catch(() => undefined);
  await server.stop();
  t.strictSame(
    (await native.refs(id, 'branches')).map(({ name }) => name),
    ['refs/heads/kept', 'refs/heads/main'],
    'a changed hook file is written again',
  );
});

void t.test('pushes work below a root with a symbolic link, a space and a quote in its path', async (t) => {
  const folder = await folderOf(t);
  await mkdir(join(folder, 'real "root" ä'));
  await symlink(join(folder, 'real "root" ä'), join(folder, 'link to it'));
  const { native, tip } = await withCommit(t, join(folder, 'link to it', 'deep:er'));
  t.equal(await native.resolveCommit(id, 'main'), tip);
});

void t.test('pack, index and ref of an acknowledged push are synced to disk', async (t) => {
  const folder = await folderOf(t);
  const log = join(folder, 'calls');
  // git reports its fsync calls per process (api-trace2, "fsync").
  const traced = await script(
    folder,
    'git',
    `case "$*" in *http-backend-info-refs*) ;; receive-pack*) GIT_TRACE2_EVENT=${log}; export GIT_TRACE2_EVENT ;; esac\nexec git "$@"`,
  );
  const root = join(folder, 'root');
  await withCommit(t, root, gitNative({ root, log: quiet, gitPath: traced }));
  const events = (await readFile(log, 'utf8'))
    .trim()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as {
          readonly event: string;
          readonly sid: string;
          readonly name?: string;
          readonly key?: string;
          readonly value?: string;
        },
    );
  const flushes = new Map<string, number>();
  for (const { name, sid } of events.filter(({ event }) => event === 'cmd_name')) {
    flushes.set(
      name ?? '',
      events
        .filter((each) => each.sid === sid && each.key === 'fsync/hardware-flush')
        .reduce((sum, { value }) => sum + Number(value ?? 0), 0),
    );
  }
  t.equal(flushes.get('index-pack'), 2, 'a pack and its index');
  t.equal(flushes.get('receive-pack'), 1, 'a ref');
});

void t.test('idle cat-file processes do not keep the server process alive', async (t) => {
  const root = join(await folderOf(t), 'root');
  const { tip } = await withCommit(t, root);
  const code = `import { gitNative } from '#adapters/git-native/index';
    const native = gitNative({ root: ${JSON.stringify(root)}, log: { debug() {}, info() {}, warn() {}, error() {} } });
    console.log((await native.entry('${id}', '${tip}', 'file')).size);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: join(import.meta.dirname, '../../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  t.equal(await new Promise((resolve) => child.once('close', resolve)), 0);
  t.equal(out.trim(), '7');
});
