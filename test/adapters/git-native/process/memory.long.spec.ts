// Memory limits of git processes: small packs that unpack to large objects.
import type { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { gitNative, type GitNative, type GitLimits } from '#adapters/git-native/index';
import { Launcher } from '#adapters/git-native/process/launcher/launcher';
import type { ProcessExit } from '#adapters/git-native/process/launcher/launcher-messages';
import { memoryOf } from '#adapters/git-native/process/launcher/memory-bound';
import { bytesOf } from '#test/contracts/git/provider';
import { must } from '#test/contracts/git/stock-git';
import { quiet } from '../provider.ts';
import { block, oidOf, pack } from '../push/small-packs.ts';

const id = '0e000000-0000-4000-8000-000000000000';
async function holding(t: Test, bytes: Buffer, limits: Partial<GitLimits>): Promise<GitNative> {
  return (await held(t, bytes, limits)).native;
}

async function held(
  t: Test,
  bytes: Buffer,
  limits: Partial<GitLimits>,
): Promise<{ readonly native: GitNative; readonly directory: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-memory-'));
  const native = gitNative({ root: join(folder, 'root'), log: quiet, limits });
  t.teardown(async () => {
    await native.close();
    await rm(folder, { recursive: true, force: true });
  });
  await native.create(id, { defaultBranch: 'main' });
  const directory = join(folder, 'root', '0e', `${id}.git`);
  await must(directory, ['index-pack', '--stdin'], { input: bytes });
  return { native, directory };
}

const megabyte = 1024 ** 2;

void t.test(
  'a small file stored as a delta of a large one is read by a process with a higher memory limit',
  async (t) => {
    const { bytes, large, small } = pack(64);
    t.ok(bytes.length < 500, `${bytes.length} bytes of pack`);
    const native = await holding(t, bytes, { readerAllocationBytes: 2 * megabyte, pooledBlobBytes: 8 * megabyte });
    t.equal((await bytesOf((await native.blob(id, small)).bytes)).length, 1024);
    t.equal((await bytesOf((await native.blob(id, large)).bytes)).length, 4 * megabyte);
  },
);

void t.test(
  'objects that need more memory than allowed are rejected, and other objects of the repository are returned',
  async (t) => {
    const { bytes, large, small } = pack(64);
    const native = await holding(t, bytes, { readerAllocationBytes: 2 * megabyte, allocationBytes: 2 * megabyte });
    const refused = { name: 'TooCostly', message: /needs too much memory/ };
    const [, , plain] = await Promise.all([
      t.rejects(native.blob(id, large), refused),
      t.rejects(native.blob(id, small), refused),
      native.blob(id, oidOf(block).toString('hex')),
    ]);
    t.equal((await bytesOf(plain.bytes)).length, block.length);
  },
);

void t.test('12. a request is answered although requests before it end their process', async (t) => {
  const first = pack(64);
  const others = [72, 80, 88].map((blocks) => pack(blocks));
  const { native, directory } = await held(t, first.bytes, {
    readerAllocationBytes: 2 * megabyte,
    allocationBytes: 2 * megabyte,
    pooledBlobBytes: 8 * megabyte,
  });
  for (const { bytes } of others) await must(directory, ['index-pack', '--stdin'], { input: bytes });
  const refused = [first, ...others].map(({ large }) => t.rejects(native.blob(id, large), { name: 'TooCostly' }));
  const plain = await native.blob(id, oidOf(block).toString('hex'));
  t.equal((await bytesOf(plain.bytes)).length, block.length);
  await Promise.all(refused);
});

void t.test('an archive that ran out of memory is rejected at once when it is requested again', async (t) => {
  const { bytes, large } = pack(64);
  const { native, directory } = await held(t, bytes, { allocationBytes: 2 * megabyte });
  const first = await must(directory, ['hash-object', '-w', '--stdin'], { input: randomBytes(megabyte) });
  const tree = await must(directory, ['mktree'], { input: `100644 blob ${first}\ta\n100644 blob ${large}\tb\n` });
  const someone = 'x <x@x> 0 +0000';
  const commit = await must(directory, ['hash-object', '-t', 'commit', '-w', '--stdin'], {
    input: `tree ${tree}\nauthor ${someone}\ncommitter ${someone}\n\nx`,
  });
  const ask = () => native.archive(id, commit, { format: 'tar.gz', prefix: '' });
  const refused = { name: 'TooCostly', message: /needs too much memory/ };
  const begun = await ask();
  await t.rejects(bytesOf(begun), refused, 'while its bytes are read');
  await t.rejects(ask(), refused);
});

void t.test('when the total is exceeded, the largest process of the caller that uses most is chosen', (t) => {
  const held = new Map([
    [1, 100],
    [2, 30],
    [3, 40],
    [4, 50],
  ]);
  const programs = [
    { pid: 1, owner: 'user:a' },
    { pid: 2, owner: 'address:1' },
    { pid: 3, owner: 'address:1' },
    { pid: 4, owner: 'address:1' },
  ];
  const bytes = (pid: number): number => held.get(pid) ?? 0;
  t.strictSame(memoryOf(programs, 220, bytes), { bytes: 220, greediest: undefined });
  t.equal(memoryOf(programs, 219, bytes).greediest?.pid, 4);
  t.equal(memoryOf([], 0, bytes).greediest, undefined);
  t.end();
});

void t.test(
  'programs that exceed the total memory, including their children, are ended and reported as such',
  async (t) => {
    const launcher = new Launcher({}, {}, { computations: 64 * megabyte });
    t.teardown(() => launcher.close());
    const environment = { PATH: process.env['PATH'] ?? '' };
    // A variable of a hundred megabytes, in the program and in its child.
    const fill = 'v=$(head -c 100000000 /dev/zero | tr "\\0" a); sleep 20';
    const small = await launcher.launch('sh', ['-c', 'sleep 20'], environment, { owner: 'user:a' });
    const large = await launcher.launch('sh', ['-c', fill], environment, { owner: 'address:1' });
    const under = await launcher.launch('sh', ['-c', `sh -c '${fill}' & wait`], environment, { owner: 'address:2' });
    for (const ended of [large.ended, under.ended]) t.match(await ended, { starved: true });
    small.kill('SIGTERM');
    t.strictSame((await small.ended).starved, undefined);
  },
);

void t.test('idle processes are ended before busy ones, and without an error', async (t) => {
  const launcher = new Launcher({}, {}, { computations: 64 * megabyte });
  t.teardown(() => launcher.close());
  const environment = { PATH: process.env['PATH'] ?? '' };
  // Twenty megabytes each, temporarily twice as much.
  const fill = 'v=$(head -c 20000000 /dev/zero | tr "\\0" a);';
  const launch = (then: string, kept: boolean) =>
    launcher.launch('sh', ['-c', `${fill} ${then}`], environment, { owner: 'user:a', kept });
  const resting: Promise<ProcessExit>[] = [];
  for (let index = 0; index < 3; index += 1) {
    resting.push((await launch('read line', true)).ended);
    await pause(500);
  }
  const working = await launch('sleep 1; exit 3', false);
  t.match(await working.ended, { code: 3, starved: undefined });
  t.match(await Promise.race(resting), { signal: 'SIGTERM', starved: undefined });

  const busy = await launch('v=$v$v$v$v; while :; do :; done', true);
  t.match(await busy.ended, { starved: true }, 'a kept process that is busy is treated like all others');
});
