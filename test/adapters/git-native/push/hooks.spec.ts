// The hooks of a push: the bytes that `update` reads for one ref, and the end of the input of `pre-receive`.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { isDeepStrictEqual, promisify } from 'node:util';
import t, { type Test } from 'tap';
import type { GitProcess } from '#adapters/git-native/process/git-process';
import { readPushCommands } from '#adapters/git-common/push/commands';
import { Hooks, readPreReceive, verdictsVariable, type PushHooks } from '#adapters/git-native/push/hooks';
import { isLegalRef } from '#adapters/git-common/names';
import { Removals } from '#adapters/git-native/files/removals';
import { flushPkt, pktLine } from '#adapters/git-common/transport/pkt-line';
import { quiet } from '../provider.ts';

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

/** Runs `update` for one ref, in a shell that prints at its end how many bytes it has read. */
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

const unbounded = { take: () => undefined };

void t.test('update reads as many bytes for one ref of 2,000 as for one of two', async (t) => {
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

void t.test('update rejects a ref without a verdict, and every ref if the verdicts are missing', async (t) => {
  const hooks = await opened(t, 2);
  t.not((await update(hooks, 'refs/heads/team')).code, 0, 'a folder above other refs');
  t.not((await update(hooks, 'refs/heads/other')).code, 0);
  await rm(hooks.verdicts, { recursive: true });
  t.not((await update(hooks, refOf(0))).code, 0);
});

async function* toAsync(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Refs whose names together contain every allowed character. */
function refsOfEveryCharacter(): readonly string[] {
  const characters = Array.from({ length: 0x11_0000 }, (_, point) => String.fromCodePoint(point)).filter(
    (character) => character !== '/' && isLegalRef(`refs/heads/a${character}b`),
  );
  const each = 50;
  return Array.from(
    { length: Math.ceil(characters.length / each) },
    (_, index) => `refs/heads/a${characters.slice(index * each, (index + 1) * each).join('')}b`,
  );
}

void t.test('a name of any characters is parsed the same from a push and from pre-receive', async (t) => {
  const refs = refsOfEveryCharacter();
  t.ok(refs.length > 20_000 && refs.every(isLegalRef), `${refs.length} names`);
  const [old, next] = ['a'.repeat(40), 'b'.repeat(40)];
  const expected = refs.map((ref) => ({ ref, old, new: next }));
  const pipe = new PassThrough();
  pipe.end(`Q \n${refs.map((ref) => `${old} ${next} ${ref}\n`).join('')}END\n`);
  const question = await readPreReceive({ pipe: () => pipe } as unknown as GitProcess, 2 ** 24);
  t.ok(isDeepStrictEqual(question?.updates, expected), 'from pre-receive');
  const commands = refs.map((ref, index) => pktLine(`${old} ${next} ${ref}${index === 0 ? '\0report-status' : ''}\n`));
  const { updates } = await readPushCommands(toAsync([...commands, flushPkt]), 2 ** 24, unbounded);
  t.ok(isDeepStrictEqual(updates, expected), 'from the push');
});

void t.test('a push with another object format is rejected with the name of the format', async (t) => {
  const zero = '0'.repeat(64);
  const body = [pktLine(`${zero} ${'b'.repeat(64)} refs/heads/a\0report-status object-format=sha256\n`), flushPkt];
  await t.rejects(readPushCommands(toAsync(body), 1000, unbounded), {
    name: 'ValidationFailed',
    message: 'The push is of a repository in the object format "sha256"',
  });
  const usual = [pktLine(`${zero.slice(24)} ${'b'.repeat(40)} refs/heads/a\0object-format=sha1 atomic\n`), flushPkt];
  t.same([...(await readPushCommands(toAsync(usual), 1000, unbounded)).capabilities], ['object-format', 'atomic']);
});

void t.test('the input of pre-receive ends at its own last line, however it is split', async (t) => {
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
  t.equal(await asked(1, bytes.subarray(0, -2)), undefined, 'a truncated end');
  const broken = Buffer.from(text.replace('heads/a', 'heads/\xff'), 'latin1');
  await t.rejects(asked(1, broken), { name: 'Internal', message: /no UTF-8/ });
});
