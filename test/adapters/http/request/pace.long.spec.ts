// The minimum transfer rate: slow clients are disconnected, and clients that wait for the server are not.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import Joi from 'joi';
import t from 'tap';
import { api, ByteStream, object, type RawBody } from '#adapters/http/descriptor/route';
import { anyone } from '#core/kernel/access/access';
import { json, startRig } from '../rig.ts';

const open = { access: anyone, scope: null, meter: 'none', summary: 'For a test' } as const;
const count = object<{ bytes: number }>({ bytes: Joi.number().required() });
/** More than the kernel buffers for a client that does not read. */
const large = 14 * 1024 ** 2;

async function* blocks(total: number, size = 8 * 1024 ** 2): AsyncGenerator<Uint8Array> {
  for (let left = total; left > 0; left -= size) yield Buffer.alloc(Math.min(size, left), 'x');
}
async function* events(): AsyncGenerator<Uint8Array> {
  for (;;) yield Buffer.alloc(65_536, 'x');
}
async function* rare(): AsyncGenerator<Uint8Array> {
  for (let time = 0; time < 8; time += 1) {
    yield Buffer.from('x');
    await sleep(150);
  }
}
const bytes = (id: string, source: () => AsyncIterable<Uint8Array>, type: string, length?: number) =>
  api({
    ...open,
    id,
    method: 'GET',
    path: `/${id}`,
    result: 'bytes',
    run: () => new ByteStream(source(), { type, ...(length !== undefined && { length }) }),
  });
const routes = [
  bytes('raw', () => blocks(large), 'application/octet-stream', large),
  bytes('pack', () => blocks(large), 'application/x-git-upload-pack-result'),
  bytes('archive', () => blocks(1024 ** 3), 'application/gzip'),
  bytes('events', events, 'text/event-stream'),
  bytes('rare', rare, 'text/event-stream'),
  bytes('slow-source', rare, 'text/plain'),
  api({
    ...open,
    id: 'text',
    method: 'GET',
    path: '/text',
    result: object<{ text: string }>({ text: Joi.string().required() }),
    run: () => ({ text: 'x'.repeat(large) }),
  }),
  api({
    ...open,
    id: 'upload',
    method: 'POST',
    path: '/upload',
    body: 'raw',
    result: count,
    async run(_call, { body }: { readonly body: RawBody }) {
      await sleep(900);
      let total = 0;
      for await (const chunk of body) total += chunk.byteLength;
      return { bytes: total };
    },
  }),
  api({
    ...open,
    id: 'shape',
    method: 'POST',
    path: '/shape',
    body: object<{ bytes: number }>({ bytes: Joi.number().required() }),
    result: count,
    run: (_call, { body }) => body,
  }),
];
const hasty = { bytesPerSecond: 100_000, bodyMilliseconds: 300, answerMilliseconds: 300 };

void t.test('an answer that is not read ends after its time limit, whatever its kind', async (t) => {
  const rig = await startRig(t, routes, { pace: hasty });
  await Promise.all(
    ['raw', 'pack', 'events', 'text'].map(async (path) => {
      const socket = connect({ port: rig.port, host: '127.0.0.1' });
      t.teardown(() => socket.destroy());
      socket.on('error', () => undefined).pause();
      socket.write(`GET /api/v1/${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${path}\r\n\r\n`);
      t.equal((await rig.entry(path)).status, 499, path);
    }),
  );
  t.strictSame(rig.logged, [], 'not logged as a fault');
});

void t.test('an answer that is read too slowly ends, except events', async (t) => {
  const rig = await startRig(t, routes, {
    pace: { ...hasty, bytesPerSecond: 1_000_000_000, answerMilliseconds: 800 },
  });
  /** Whether the server ended it while a client read it a megabyte at a time. */
  const sip = async (path: string): Promise<boolean> => {
    const socket = connect({ port: rig.port, host: '127.0.0.1' });
    t.teardown(() => socket.destroy());
    let taken = 0;
    socket
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        taken += chunk.length;
        if (taken < 1024 ** 2) return;
        taken = 0;
        socket.pause();
        setTimeout(() => socket.resume(), 60);
      });
    socket.write(`GET /api/v1/${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: sip-${path}\r\n\r\n`);
    return Promise.race([rig.entry(`sip-${path}`).then(() => true), sleep(2_400, false)]);
  };
  t.strictSame(await Promise.all([sip('archive'), sip('events')]), [true, false]);
});

void t.test('an answer delayed by the server is sent completely', async (t) => {
  const rig = await startRig(t, routes, { pace: { ...hasty, bodyMilliseconds: 600, answerMilliseconds: 600 } });
  const [events, text, upload] = await Promise.all([
    rig.call('GET', '/api/v1/rare'),
    rig.call('GET', '/api/v1/slow-source'),
    rig.call('POST', '/api/v1/upload', { body: Buffer.alloc(200_000) }),
  ]);
  t.strictSame([events.text, text.text, upload.body], ['x'.repeat(8), 'x'.repeat(8), { bytes: 200_000 }]);
});

void t.test('a body that stops or arrives byte by byte is 400: JSON, raw and gzip', async (t) => {
  const rig = await startRig(t, routes, { pace: hasty });
  const zipped = gzipSync('{"bytes": 1}');
  const send = async (path: string, headers: string, begin: string | Buffer, everyMs?: number): Promise<string> => {
    const socket = connect({ port: rig.port, host: '127.0.0.1' });
    t.teardown(() => socket.destroy());
    let answer = '';
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => void (answer += chunk.toString()));
    socket.write(`POST /api/v1/${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n${headers}\r\n`);
    socket.write(begin);
    const timer = everyMs === undefined ? undefined : setInterval(() => socket.writable && socket.write(' '), everyMs);
    await new Promise((closed) => socket.once('close', closed));
    clearInterval(timer);
    return answer;
  };
  const inJson = 'Content-Type: application/json\r\n';
  const answers = await Promise.all([
    send('shape', inJson, '{'),
    send('shape', inJson, '{', 20),
    send('shape', `${inJson}Content-Encoding: gzip\r\n`, zipped.subarray(0, 12)),
    send('upload', '', 'x'),
    send('upload', '', 'x', 20),
    send('upload', 'Content-Encoding: gzip\r\n', zipped.subarray(0, 12)),
  ]);
  for (const answer of answers)
    t.match(answer, /^HTTP\/1.1 400 [^]*Connection: close[^]*"error":"The body did not arrive in time"/i);
  t.strictSame((await rig.call('POST', '/api/v1/shape', json({ bytes: 3 }))).body, { bytes: 3 });
  t.strictSame(rig.logged, []);
});
