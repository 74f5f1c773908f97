// The hooks of a push as git runs them: what `update` reads for one ref, and where the question of `pre-receive` ends.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import type { GitProcess } from '#adapters/git-native/process/git-process';
import { Hooks, readPreReceive, verdictsVariable, type PushHooks } from '#adapters/git-native/push/hooks';
import { Removals } from '#adapters/git-native/storage/removals';
import { quiet } from './provider.ts';

const run = promisify(execFile);
const refOf = (index: number): string => `refs/heads/team/branch-${1000 + index}`;

async function opened(t: Test, count: number): Promise<PushHooks> {
  const root = await mkdtemp(join(tmpdir(), 'hexforge-hooks-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const hooks = await new Hooks(root, new Removals(quiet)).open(root);
  await hooks.refuseSome(
    Array.from({ length: count }, (_, index) => ({
      ref: refOf(index),
      refusal: index % 2 === 0 ? undefined : `not ${index}`,
    })),
  );
  return hooks;
}

/** Runs `update` for one ref, in a shell that says at its end how many bytes it has read. */
async function update(hooks: PushHooks, ref: string): Promise<{ code: number; told: string; read: number }> {
  const script = 'trap "cat /proc/$$/io" EXIT; hook=$1; shift; . "$hook"';
  const { code, stdout, stderr } = await run('sh', ['-c', script, 'sh', join(hooks.folder, 'update'), ref], {
    env: { PATH: process.env['PATH'] ?? '', [verdictsVariable]: hooks.verdicts },
  }).then(
    (good) => ({ ...good, code: 0 }),
    (bad: unknown) => bad as { code: number; stdout: string; stderr: string },
  );
  return { code, told: stderr, read: Number(/^rchar: (\d+)$/m.exec(stdout)?.[1] ?? Number.NaN) };
}

void t.test('update reads as much for a ref among two thousand as among two', async (t) => {
  const [few, many] = [await opened(t, 2), await opened(t, 2000)];
  for (const [hooks, last] of [
    [few, 1],
    [many, 1999],
  ] as const) {
    t.match(await update(hooks, refOf(last)), { code: 1, told: `not ${last}\n` });
    t.match(await update(hooks, refOf(last - 1)), { code: 0, told: '' });
  }
  const [one, other] = [await update(few, refOf(1)), await update(many, refOf(1999))];
  t.ok(one.read > 0 && Math.abs(one.read - other.read) < 200, `${one.read} and ${other.read} bytes`);
});

void t.test('update refuses a ref that has no verdict, and every ref where the verdicts are gone', async (t) => {
  const hooks = await opened(t, 2);
  t.not((await update(hooks, 'refs/heads/team')).code, 0, 'a folder on the way to others');
  t.not((await update(hooks, 'refs/heads/other')).code, 0);
  await rm(hooks.verdicts, { recursive: true });
  t.not((await update(hooks, refOf(0))).code, 0);
});

void t.test('the question of pre-receive ends at its own last line, wherever the pieces of it are cut', async (t) => {
  const oid = 'a'.repeat(40);
  const refs = ['refs/heads/a', 'refs/heads/theEND', 'refs/heads/protected'];
  const text = `Q \n${refs.map((ref) => `${oid} ${oid} ${ref}\n`).join('')}END\n`;
  const asked = async (cut: number, whole: Uint8Array): Promise<readonly string[] | undefined> => {
    const pipe = new PassThrough();
    pipe.write(whole.subarray(0, cut));
    setImmediate(() => pipe.end(whole.subarray(cut)));
    const question = await readPreReceive({ pipe: () => pipe } as unknown as GitProcess, 10_000);
    return question?.updates.map(({ ref }) => ref);
  };
  const bytes = Buffer.from(text);
  for (let cut = 1; cut < bytes.length; cut += 1) t.strictSame(await asked(cut, bytes), refs);
  t.equal(await asked(1, bytes.subarray(0, -2)), undefined, 'an end that is cut off');
  const broken = Buffer.from(text.replace('heads/a', 'heads/\xff'), 'latin1');
  await t.rejects(asked(1, broken), { name: 'Internal', message: /no UTF-8/ });
});
