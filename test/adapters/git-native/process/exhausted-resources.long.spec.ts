// Exhausted resources reported by git (disk, open files, memory) are InsufficientStorage or Unavailable for reads,
// writes and pushes.
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { gitNative, type GitNative } from '#adapters/git-native/index';
import { zeroOid } from '#core/repositories/git/git-backend';
import { never } from '#test/contracts/git/provider';
import { change, hooks, oid, pushed } from '../push/first-push.ts';
import { quiet } from '../provider.ts';

const id = '0a000000-0000-4000-8000-000000000000';
const other = '0b000000-0000-4000-8000-000000000000';
const full = { name: 'InsufficientStorage', message: 'The disk that holds the repositories is full' };

/** A git that fails with `stderr`; receive-pack prints it next to its report, as git does. */
async function failing(
  t: Test,
  stderr: string,
): Promise<{ readonly native: GitNative; readonly log: unknown[]; readonly root: string }> {
  const folder = t.testdir();
  const gitPath = join(folder, 'git');
  writeFileSync(
    gitPath,
    [
      '#!/bin/sh',
      `[ "$1" = receive-pack ] || { echo ${JSON.stringify(stderr)} >&2; exit 128; }`,
      'cat > /dev/null',
      `echo ${JSON.stringify(stderr)} >&2`,
      String.raw`printf '0024unpack index-pack abnormal exit\n0026ng refs/heads/main unpacker error\n0000'`,
    ].join('\n'),
  );
  chmodSync(gitPath, 0o755);
  const root = join(folder, 'repositories');
  mkdirSync(root);
  const log: unknown[] = [];
  const native = gitNative({ root, gitPath, log: { ...quiet, error: (facts) => void log.push(facts) } });
  t.teardown(() => native.close());
  await native.create(id, { defaultBranch: 'main' });
  return { native, log, root };
}

void t.test('a full disk is InsufficientStorage in every operation', async (t) => {
  const { native, log } = await failing(t, 'fatal: write error: No space left on device');
  await t.rejects(native.moveRefs(id, [{ ref: 'refs/heads/main', old: zeroOid, new: oid }]), full, 'moving a ref');
  await t.rejects(
    native.writeTag(id, { name: 'v1', commit: oid, message: '', tagger: change.author }),
    full,
    'writing a tag',
  );
  await t.rejects(native.fork(id, other, { defaultBranch: 'main', signal: never }), full, 'a fork');
  await t.rejects(native.mergeBase(id, oid, '2'.repeat(40), never), full, 'a read');
  await t.rejects(native.write(id, change, hooks), full, 'a commit over the API');

  await t.test('the report of a push has the reason, and the log names the folder', async (t) => {
    const report = await pushed(native, id, 'report-status');
    t.match(report, `unpack ${full.message}\n`);
    t.match(report, `ng refs/heads/main ${full.message}\n`);
    t.match(log.at(-1), { repository: id, directory: new RegExp(`${id}.git$`), err: full });
  });
});

void t.test('a lock that fails on a full disk is not reported as the lock of another process', async (t) => {
  const { native } = await failing(t, "fatal: Unable to create '/x/refs/heads/main.lock': No space left on device");
  await t.rejects(native.moveRefs(id, [{ ref: 'refs/heads/main', old: zeroOid, new: oid }]), full);
});

void t.test('an exhausted resource is named', async (t) => {
  for (const [stderr, message] of [
    ['error: open objects/pack: Too many open files', 'The server has as many files open as it may'],
    ['error: cannot fork() for x: Resource temporarily unavailable', 'The server runs as many processes as it may'],
    ['fatal: Out of memory, malloc failed (tried to allocate 9 bytes)', 'The machine has no memory left'],
  ] as const) {
    const { native } = await failing(t, stderr);
    await t.rejects(native.mergeBase(id, oid, '2'.repeat(40), never), { name: 'Unavailable', message });
    await t.rejects(native.write(id, change, hooks), { name: 'Unavailable', message });
  }
});

void t.test('ENOSPC in the server is reported like ENOSPC in git', async (t) => {
  const { native } = await failing(t, '');
  const spent = Object.assign(new Error("ENOSPC: no space left on device, mkdir '/srv'"), { code: 'ENOSPC' });
  await t.rejects(
    native.write(id, change, {
      ...hooks,
      announced: () => Promise.reject(spent),
    }),
    full,
  );
});

void t.test('a repository that could not be created leaves no files', async (t) => {
  const { native, root } = await failing(t, '');
  writeFileSync(join(root, '0b'), 'in the way');
  await t.rejects(native.create(other, { defaultBranch: 'main' }));
  t.strictSame(
    readdirSync(join(root, '.processes'), { recursive: true }).filter((path) => String(path).includes(other)),
    [],
  );
});

void t.test('every other failure of git keeps its kind', async (t) => {
  const { native } = await failing(t, 'fatal: bad object');
  await t.rejects(native.mergeBase(id, oid, '2'.repeat(40), never), { name: 'Internal' });
  t.equal((await native.write(id, change, hooks)).refusal, 'index-pack abnormal exit');
});
