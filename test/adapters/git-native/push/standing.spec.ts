// A push whose caller loses access while git moves its refs: moved refs stay and are reported, the others do not move.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { gitNative } from '#adapters/git-native/index';
import { serve, type GitServer } from '#test/contracts/git/http-server';
import { git, must } from '#test/contracts/git/stock-git';
import { temporaryFolder } from '#test/support/folder';
import { holdRefs } from '#test/support/held-refs';
import { quiet } from '../provider.ts';

const id = '0a000000-0000-4000-8000-000000000000';

interface Place {
  readonly server: GitServer;
  readonly directory: string;
  /** Exists once git is about to move `refs/heads/b`, where it waits. */
  readonly held: string;
  refs(): Promise<readonly string[]>;
  push(...args: string[]): ReturnType<typeof git>;
}

/** Names of locks and temporary files. */
const leftIn = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory, { recursive: true })).filter((name) => /\.lock$|tmp_|incoming-/.test(name));

/** A server whose git moves `a` and then waits. */
async function place(t: Test, standsSeconds = 0.05): Promise<Place> {
  const folder = await temporaryFolder(t);
  const root = join(folder, 'root');
  const native = gitNative({ root, log: quiet, limits: { standsSeconds } });
  t.teardown(() => native.close());
  await native.create(id, { defaultBranch: 'main' });
  const server = await serve(native);
  t.teardown(() => server.stop());
  const client = join(folder, 'client');
  await must(folder, ['init', '-q', '-b', 'main', client]);
  await must(client, ['commit', '-q', '--allow-empty', '-m', 'one']);
  const held = join(folder, 'held');
  server.judge = async (updates) => {
    await holdRefs(root, 'refs/heads/b', held);
    return updates.map(({ ref }) => ({ ref, refusal: undefined }));
  };
  return {
    server,
    directory: join(root, id.slice(0, 2), `${id}.git`),
    held,
    refs: async () => (await native.refs(id, 'all')).map(({ name }) => name),
    push: (...args) => git(client, ['push', ...args, server.url(id), 'main:a', 'main:b', 'main:c']),
  };
}

void t.test(
  'refs stop moving when access is lost: moved refs are reported, the others are rejected (item 3)',
  async (t) => {
    const { server, directory, held, refs, push } = await place(t);
    server.stands = async () => (existsSync(held) ? 'you may not push here any more' : undefined);
    const { code, stderr } = await push();
    t.not(code, 0);
    t.match(stderr, /\[new branch\] +main -> a/);
    for (const name of ['b', 'c'])
      t.match(stderr, new RegExp(`remote rejected\\] main -> ${name} \\(you may not push here any more\\)`));
    t.strictSame(await refs(), ['refs/heads/a']);
    t.strictSame(
      server.landed.map((updates) => updates.map(({ ref }) => ref)),
      [['refs/heads/a']],
    );
    t.strictSame(await leftIn(directory), []);
  },
);

void t.test(
  'when access is lost before the first ref moves, all refs are rejected, also of atomic pushes',
  async (t) => {
    const { server, directory, held, refs, push } = await place(t);
    server.stands = async () => (existsSync(held) ? 'you may not push here any more' : undefined);
    const { code, stderr } = await push('--atomic');
    t.not(code, 0);
    t.match(stderr, /remote rejected\] main -> a \(you may not push here any more\)/);
    t.strictSame([await refs(), server.landed, await leftIn(directory)], [[], [], []]);
  },
);

void t.test('a push whose access recheck fails continues and is rechecked', async (t) => {
  const { server, held, refs, push } = await place(t);
  let asked = 0;
  server.stands = async () => {
    if (!existsSync(held)) return undefined;
    asked += 1;
    if (asked < 3) throw new Error('the database does not answer');
    return 'you may not push here any more';
  };
  t.not((await push()).code, 0);
  t.equal(asked, 3);
  t.strictSame(await refs(), ['refs/heads/a']);
});

void t.test('a push shorter than the recheck interval is not rechecked', async (t) => {
  const { server, refs, push } = await place(t, 60);
  server.judge = async (updates) => updates.map(({ ref }) => ({ ref, refusal: undefined }));
  server.stands = async () => 'it was asked about';
  t.equal((await push()).code, 0);
  t.equal((await refs()).length, 3);
});
