// The minimum transfer rate of clients that occupy a slot: a slower client loses it with a reason.
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { GitNative } from '#adapters/git-native/index';
import { Pace } from '#adapters/git-native/process/pace';
import { RequestHeads } from '#adapters/git-native/transport/request-heads';
import { zeroOid } from '#core/repositories/git/git-backend';
import { bytesOf, commitFile, never } from '#test/contracts/git/provider';
import { must } from '#test/contracts/git/stock-git';
import { temporaryFolder } from '#test/support/folder';
import { pushable } from '../provider.ts';

const id = '0b000000-0000-4000-8000-000000000000';
const leastRate = { bytesPerSecond: 1024, seconds: 0.1 };
const line = (text: string): string => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;

async function* trickling(head: string, slowly: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(head, 'latin1');
  for (const byte of slowly.repeat(1000)) {
    await pause(50);
    yield Buffer.from(byte, 'latin1');
  }
}

/** A single slot, and a file larger than the buffers in between. */
async function onePlace(t: Test): Promise<{ readonly native: GitNative; readonly tip: string; readonly blob: string }> {
  const limits = { transfers: 1, leastRate, pooledBlobBytes: 1024 };
  const { native, client, url } = await pushable(t, await temporaryFolder(t), id, { limits });
  const tip = await commitFile(client, 'big', randomBytes(4 * 1024 * 1024));
  await must(client, ['push', '-q', url, 'main']);
  return { native, tip, blob: await must(client, ['rev-parse', 'main:big']) };
}

void t.test('a client is too slow if it moves less than the minimum while the server waits for it', async (t) => {
  let slow = 0;
  const pace = new Pace({ bytesPerSecond: 1000, seconds: 0.05 }, () => void (slow += 1));
  // While git works, the server does not wait for the client.
  await pause(80);
  t.equal(slow, 0);
  pace.waits();
  pace.moved(200);
  pace.waits();
  await pause(70);
  t.equal(slow, 0, 'enough bytes moved in the first window');
  await pause(70);
  t.equal(slow, 1, 'no bytes moved in the second window');
  pace.end();
});

void t.test('a client that does not read its answer loses the slot to the next request', async (t) => {
  const { native, tip, blob } = await onePlace(t);
  const fetch = {
    service: 'git-upload-pack',
    protocol: 'version=2',
    signal: never,
    body: (async function* body() {
      yield Buffer.from(`${line('command=fetch')}0001${line(`want ${tip}\n`)}${line('done\n')}0000`);
    })(),
  } as const;
  const unread = [
    await native.uploadPack(id, fetch),
    (await native.blob(id, blob)).bytes,
    await native.archive(id, tip, { format: 'tar.gz', prefix: '' }),
  ];
  const next = await native.blob(id, blob);
  for (const answer of unread) await t.rejects(bytesOf(answer), /its answer was read too slowly or not at all/);
  t.equal((await bytesOf(next.bytes)).length, 4 * 1024 * 1024);
});

void t.test('a slow push is rejected with a reason, and the next push succeeds', async (t) => {
  const { native, tip } = await onePlace(t);
  const pushed = {
    service: 'git-receive-pack',
    protocol: undefined,
    signal: never,
    announced: async () => undefined,
    landed: () => Promise.reject(new Error('nothing landed')),
    judge: async () => [],
  } as const;
  const commands = line(`${zeroOid} ${tip} refs/heads/slow\0report-status`);
  const answers = await Promise.all(
    [1, 2].map(() =>
      native.receivePack(id, { ...pushed, body: trickling(`${commands}0000PACK`, '\0\0\0\u0002\0\0\0\u0001') }),
    ),
  );
  for (const answer of answers)
    t.match((await bytesOf(answer)).toString('latin1'), 'ng refs/heads/slow the request came too slowly');
  t.strictSame(
    (await native.refs(id, 'all')).map(({ name }) => name),
    ['refs/heads/main'],
  );
});

void t.test('a long fetch request that arrives too slowly is rejected', async (t) => {
  const { native, tip } = await onePlace(t);
  const wants = `${line('command=fetch')}0001${line(`want ${tip}\n`).repeat(6000)}`;
  await t.rejects(
    native.uploadPack(id, {
      service: 'git-upload-pack',
      protocol: 'version=2',
      signal: never,
      body: trickling(wants, line(`want ${tip}\n`)),
    }),
    { name: 'Unavailable', message: 'The clone was given up: the request came too slowly' },
  );
});

void t.test('buffered beginnings of requests are bounded each and in total', async (t) => {
  const heads = new RequestHeads();
  const bytes = async function* bytes(count: number, size: number): AsyncGenerator<Uint8Array> {
    for (let piece = 0; piece < count; piece += 1) yield Buffer.alloc(size, 1);
  };
  const small = await heads.read(bytes(200, 3));
  t.equal(Buffer.concat(small.chunks).length, 600, 'whole');
  t.ok(small.chunks.length <= 65, 'in few chunks');
  small.release();
  const many = await Promise.all(Array.from({ length: 200 }, () => heads.read(bytes(10, 64 * 1024))));
  const held = many.map(({ chunks }) => Buffer.concat(chunks).length);
  t.equal(Math.max(...held), 256 * 1024);
  t.ok(held.reduce((sum, one) => sum + one, 0) <= 33 * 1024 * 1024 + 200 * 64 * 1024);
  for (const head of many) head.release();
  t.equal(Buffer.concat((await heads.read(bytes(1, 100))).chunks).length, 100);
});
