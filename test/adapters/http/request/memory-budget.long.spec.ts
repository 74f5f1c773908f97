// The memory budget for request bodies: one caller cannot exhaust it for the others.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import Joi from 'joi';
import t from 'tap';
import { MemoryBudget } from '#core/kernel/limits/memory-budget';
import { api, object } from '#adapters/http/descriptor/route';
import { anyone } from '#core/kernel/access/access';
import { bearer, json, startRig, type Rig } from '../rig.ts';

const mib = 1024 ** 2;

void t.test('the budget is bounded per caller and in total, and shared equally when it is exhausted', async (t) => {
  const held = new MemoryBudget({ perCaller: 100, inAll: 200 });
  const tooMany = { name: 'RateLimited', retryAfter: 2 };
  const busy = { name: 'Unavailable', message: 'The server is busy with large requests' };
  const [a1, a2, b, c, d] = [held.hold('a'), held.hold('a'), held.hold('b'), held.hold('c'), held.hold('d')];
  a1.take(60);
  a2.take(40);
  t.throws(() => a2.take(1), tooMany);
  b.take(100);
  t.throws(() => c.take(67), busy, 'more than a third of 200');
  c.take(66);
  t.throws(() => c.take(1), busy);
  d.take(34);
  t.throws(() => d.take(1), busy, 'the total never exceeds one and a half times the bound');
  a1.release();
  t.throws(() => a2.take(61), tooMany);
  a2.take(10);
  for (const hold of [a1, a2, b, c, d]) hold.release();
  c.take(100);
  d.take(100);
  t.throws(() => a1.take(67), busy, 'released bytes are free');
});

const upload = api({
  access: anyone,
  scope: null,
  meter: 'none',
  summary: 'For a test',
  id: 'upload',
  method: 'POST',
  path: '/upload',
  body: object<{ content: string }>({ content: Joi.string().allow('').required() }),
  maxBytes: 50 * mib,
  result: object<{ length: number }>({ length: Joi.number().required() }),
  run: (_call, { body }) => ({ length: body.content.length }),
});
const zipped = gzipSync(JSON.stringify({ content: 'x'.repeat(6 * mib) }));

/** Sends all but the end of a body; returns what the server answers, if anything. */
function unfinished(
  t: { teardown(end: () => void): void },
  rig: Rig,
  token: string,
): { readonly socket: Socket; readonly answer: () => string } {
  const socket = connect({ port: rig.port, host: '127.0.0.1' });
  t.teardown(() => socket.destroy());
  let answer = '';
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => void (answer += chunk.toString()));
  socket.write(
    `POST /api/v1/upload HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n` +
      `Authorization: Bearer ${token}\r\nContent-Length: ${zipped.length}\r\n\r\n`,
  );
  socket.write(zipped.subarray(0, zipped.length - 8));
  return { socket, answer: () => answer };
}

void t.test(
  'unfinished gzip bodies are counted as they inflate: a caller with too many gets 429, others do not',
  async (t) => {
    const rig = await startRig(t, [upload], { memoryBudget: { perCaller: 20 * mib, inAll: 40 * mib } });
    const waiting = Array.from({ length: 6 }, () => unfinished(t, rig, 'good'));
    await Promise.race(waiting.map(({ socket }) => once(socket, 'close')));
    while (waiting.filter(({ answer }) => answer().includes('\r\n\r\n')).length < 3)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const refused = waiting.map(({ answer }) => answer()).filter((answer) => answer !== '');
    t.equal(refused.length, 3, 'three bodies of 18 MiB are in memory');
    for (const answer of refused)
      t.match(answer, /^HTTP\/1.1 429 [^]*retry-after: 2[^]*"error":"Too many large requests at once"/i);
    const send = (token: string) =>
      rig.call('POST', '/api/v1/upload', {
        headers: { ...json('').headers, ...bearer(token), 'content-encoding': 'gzip' },
        body: zipped,
      });
    t.equal((await send('good')).status, 429);
    t.strictSame((await send('other')).body, { length: 6 * mib });
    for (const { socket } of waiting) socket.destroy();
    for (let status = 0; status !== 200;) ({ status } = await send('good'));
    t.pass('bodies of closed connections are released');
  },
);

void t.test('bytes of a request are released when it ends, also when it is rejected', async (t) => {
  const rig = await startRig(t, [upload], { memoryBudget: { perCaller: 1000, inAll: 1000 } });
  for (let time = 0; time < 5; time += 1) {
    t.equal((await rig.call('POST', '/api/v1/upload', json({ content: 'x'.repeat(900) }))).status, 200);
    t.equal((await rig.call('POST', '/api/v1/upload', json({ other: 'x'.repeat(900) }))).status, 400);
    t.equal((await rig.call('POST', '/api/v1/upload', json({ content: 'x'.repeat(1900) }))).status, 429);
  }
});

void t.test('a body that arrives byte by byte is read into one buffer', async (t) => {
  const rig = await startRig(t, [upload]);
  const text = JSON.stringify({ content: 'ü'.repeat(20_000) });
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
  }
  const answer = await rig.call('POST', '/api/v1/upload', { headers: json('').headers, body: bytes() });
  t.strictSame(answer.body, { length: 20_000 });
});
