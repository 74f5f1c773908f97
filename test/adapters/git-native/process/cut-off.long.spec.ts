// A git process that fails or cannot finish is a fault of the server (503 or 507), never a rejection of the client's
// data.
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { gitNative, type GitNative, type GitNativeOptions } from '#adapters/git-native/index';
import { InsufficientStorage, Unavailable } from '#core/kernel/errors';
import { zeroOid, type JudgeRefs } from '#core/repositories/git/git-backend';
import { never } from '#test/contracts/git/provider';
import { change, hooks, oid, pushed } from '../push/first-push.ts';
import { quiet } from '../provider.ts';

const id = '0a000000-0000-4000-8000-000000000000';
const declined = String.raw`printf '000eunpack ok\n0031ng refs/heads/main pre-receive hook declined\n0000'`;

/** A git that runs one push of one branch up to its verdict. `$last` is its repository. */
const judged = [
  'update=$(head -c 101 | tail -c 97)',
  'cat > /dev/null',
  String.raw`printf 'Q \n%s\nEND\n' "$update" >&3`,
  'IFS= read -r verdict <&4 && [ "$verdict" = ok ] || exit 1',
  'for last; do :; done',
];

/** @param lines a script that replaces the installed git */
async function repository(
  t: Test,
  lines?: readonly string[],
  options: Partial<GitNativeOptions> = {},
): Promise<GitNative> {
  const folder = t.testdir();
  const gitPath = join(folder, 'git');
  writeFileSync(gitPath, ['#!/bin/sh', ...(lines ?? [])].join('\n'));
  chmodSync(gitPath, 0o755);
  const root = join(folder, 'repositories');
  mkdirSync(root);
  const native = gitNative({ root, log: quiet, ...(lines !== undefined && { gitPath }), ...options });
  t.teardown(() => native.close());
  await native.create(id, { defaultBranch: 'main' });
  return native;
}

void t.test('a push whose judge fails is rejected with that reason, over the API with its status', async (t) => {
  const native = await repository(t);
  for (const [thrown, told] of [
    [new Unavailable('The database does not answer'), { name: 'Unavailable', message: 'The database does not answer' }],
    [new InsufficientStorage('The disk is full'), { name: 'InsufficientStorage', message: 'The disk is full' }],
    [new Error('a fault of ours'), { name: 'Unavailable', message: /^The server could not decide about this push/ }],
  ] as const) {
    const judge: JudgeRefs = () => Promise.reject(thrown);
    await t.rejects(native.write(id, change, { ...hooks, judge }), told);
  }
  t.strictSame(await native.readRefs(id, ['refs/heads/main']), [zeroOid]);
  const judge: JudgeRefs = async (updates) => updates.map(({ ref }) => ({ ref, refusal: 'not here' }));
  t.equal((await native.write(id, change, { ...hooks, judge })).refusal, 'pre-receive hook declined');
  t.equal((await native.write(id, change, hooks)).refusal, undefined);
});

void t.test('a push whose judge fails while the disk fails too keeps the reason of the judge', async (t) => {
  const native = await repository(t);
  const head = join(t.testdirName, 'repositories', id.slice(0, 2), `${id}.git`, 'HEAD');
  const judge: JudgeRefs = () => {
    // stat(2) fails with an error other than ENOENT.
    rmSync(head);
    symlinkSync('HEAD', head);
    return Promise.reject(new Unavailable('The database does not answer'));
  };
  await t.rejects(native.write(id, change, { ...hooks, judge }), {
    name: 'Unavailable',
    message: 'The database does not answer',
  });
  rmSync(head);
});

for (const { how, lines, told, capabilities = 'report-status' } of [
  {
    how: 'git killed before its report',
    lines: ['cat > /dev/null', 'kill -9 $$'],
    told: /^The push was stopped/,
  },
  {
    how: 'git killed before its report to a client with a side band',
    lines: ['cat > /dev/null', 'kill -9 $$'],
    told: /^The push was stopped/,
    capabilities: 'report-status side-band-64k',
  },
  {
    how: 'git whose hook is killed first',
    lines: ['cat > /dev/null', declined, 'kill -9 $$'],
    told: /^The push was stopped/,
  },
  {
    how: 'git that exits after its verdict while the refs cannot be read',
    lines: [...judged, 'mkdir -p "$last/packed-refs"'],
    told: /^The branches and tags may have been changed, or not/,
  },
  {
    how: 'git whose hook got no verdict',
    lines: ['cat > /dev/null', declined, 'exit 1'],
    told: /^The server could not decide/,
  },
]) {
  void t.test(`${how} is not a rejection: the push fails with the server's own reason`, async (t) => {
    const native = await repository(t, lines);
    await t.rejects(native.write(id, change, hooks), { name: 'Unavailable', message: told });
    t.match(await pushed(native, id, capabilities), new RegExp(`ng refs/heads/main ${told.source.slice(1)}`));
  });
}

void t.test('a judged push may be silent beyond the idle limit, until its deadline', async (t) => {
  const reported = String.raw`printf '000eunpack ok\n0017ok refs/heads/main\n0000'`;
  const silent = await repository(t, [...judged, 'sleep 3', reported], { limits: { idleSeconds: 2 } });
  t.match(await pushed(silent, id, 'report-status'), /ok refs\/heads\/main/);

  const told: unknown[] = [];
  const late = await repository(
    t,
    [...judged, String.raw`set -- $update; printf '%s\n' "$2" > "$last/$3"`, 'exec sleep 60'],
    { limits: { transferSeconds: 3 }, log: { ...quiet, warn: (fields) => told.push(fields) } },
  );
  t.match(
    await pushed(late, id, 'report-status'),
    /ok refs\/heads\/main/,
    'refs that moved before the deadline are reported as moved',
  );
  t.match(told, [{ stopped: 'it was not done after 3 s' }], 'the log names the reason');
});

void t.test('a read whose process is killed rejects with Unavailable', async (t) => {
  const native = await repository(t, ['kill -9 $$']);
  const reads: Readonly<Record<string, () => Promise<unknown>>> = {
    'an object': () => native.resolveCommit(id, oid),
    'a merge base': () => native.mergeBase(id, oid, '2'.repeat(40), never),
    'a fetch': () =>
      native.uploadPack(id, {
        service: 'git-upload-pack',
        protocol: 'version=2',
        body: (async function* body() {
          yield Buffer.from('0000');
        })(),
        signal: never,
      }),
  };
  for (const [what, read] of Object.entries(reads))
    t.match(await read().catch((error: unknown) => error), { kind: 'unavailable' }, what);
});
