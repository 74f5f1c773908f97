// Request and response bodies as bytes, disconnects, and the status and headers of a reply.
import { once } from 'node:events';
import { request as send, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import Joi from 'joi';
import t from 'tap';
import { api, ByteStream, object, reply, type RawBody } from '#adapters/http/descriptor/route';
import { anyone } from '#core/kernel/access/access';
import { startRig } from '../rig.ts';

const open = { access: anyone, scope: null, meter: 'none', summary: 'For a test' } as const;
const count = object<{ bytes: number }>({ bytes: Joi.number().required() });

async function* blocks(total: number, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let left = total; left > 0; left -= size) yield Buffer.alloc(Math.min(size, left), 'x');
}
/** A source that counts the chunks taken from it and reports when it is closed. */
function watched(inner: AsyncIterable<Uint8Array>) {
  const iterator = inner[Symbol.asyncIterator]();
  const state = { taken: 0, closed: Promise.withResolvers<void>() };
  const source: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        state.taken++;
        return iterator.next();
      },
      return: async () => {
        state.closed.resolve();
        await iterator.return?.(undefined);
        return { done: true, value: undefined };
      },
    }),
  };
  return { source, state };
}

const upload = api({
  ...open,
  id: 'upload',
  method: 'POST',
  path: '/upload',
  body: 'raw',
  maxBytes: 1_000_000,
  result: count,
  run: async (_, { body }) => {
    let bytes = 0;
    for await (const chunk of body as unknown as RawBody) bytes += chunk.byteLength;
    return { bytes };
  },
});

void t.test('the size limit of a raw body is applied as it arrives', async (t) => {
  const rig = await startRig(t, [upload]);
  t.strictSame(
    (await rig.call('POST', '/api/v1/upload', { body: blocks(1_000_000) })).body,
    { bytes: 1_000_000 },
    'a body of exactly the limit passes',
  );
  t.strictSame((await rig.call('POST', '/api/v1/upload')).body, { bytes: 0 });
  for (const body of [blocks(1_000_001), Buffer.alloc(1_000_001), blocks(8_000_000)]) {
    const answer = await rig.call('POST', '/api/v1/upload', { body });
    t.equal(answer.status, 413);
    t.strictSame(answer.body, {
      error: 'The body is too large',
      detail: 'The limit is 1000000 bytes',
      error_code: 'payload_too_large',
    });
  }
  const gzip = { 'content-encoding': 'gzip' };
  t.strictSame(
    (await rig.call('POST', '/api/v1/upload', { headers: gzip, body: gzipSync(Buffer.alloc(900_000)) })).body,
    { bytes: 900_000 },
  );
  t.equal(
    (await rig.call('POST', '/api/v1/upload', { headers: gzip, body: gzipSync(Buffer.alloc(60_000_000)) })).status,
    413,
    'the limit applies to the decompressed bytes',
  );
  t.equal((await rig.call('POST', '/api/v1/upload', { headers: gzip, body: 'junk' })).status, 400);
  t.equal(
    (await rig.call('POST', '/api/v1/upload', { headers: { 'content-encoding': 'zstd' }, body: 'junk' })).status,
    415,
  );
  t.equal(
    (await rig.call('POST', '/api/v1/upload', { headers: { 'content-type': ';;;' }, body: 'abc' })).status,
    200,
    'the handler checks the type of a raw body',
  );
  t.equal(rig.logged.length, 0);
});

void t.test('a rejected body is not read before the access decision, and the connection stays open', async (t) => {
  let read = false;
  const guarded = api({
    ...open,
    id: 'guarded',
    access: { who: 'signed-in' },
    method: 'POST',
    path: '/guarded',
    body: 'raw',
    maxBytes: Number.MAX_SAFE_INTEGER,
    result: count,
    run: () => {
      read = true;
      return { bytes: 0 };
    },
  });
  const rig = await startRig(t, [guarded]);
  const answer = await rig.call('POST', '/api/v1/guarded', { body: blocks(5_000_000) });
  t.equal(answer.status, 401);
  t.equal(read, false);
  t.equal((await rig.call('POST', '/nothing', { body: blocks(5_000_000) })).status, 404);
});

void t.test('a client that sends Expect: 100-continue gets 100 Continue', async (t) => {
  const rig = await startRig(t, [upload]);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const message = send(
    {
      port: rig.port,
      method: 'POST',
      path: '/api/v1/upload',
      headers: { expect: '100-continue', 'transfer-encoding': 'chunked' },
      agent: false,
    },
    resolve,
  ).on('error', reject);
  message.flushHeaders();
  await once(message, 'continue');
  message.end('abc');
  const answer = await promise;
  t.equal(answer.statusCode, 200);
  t.strictSame(JSON.parse(Buffer.concat((await answer.toArray()) as Uint8Array[]).toString()), { bytes: 3 });
});

void t.test('bytes are sent unchanged, with a Content-Length if it is known', async (t) => {
  const rig = await startRig(t, [
    api({
      ...open,
      id: 'known',
      method: 'GET',
      path: '/known',
      result: 'bytes',
      run: () => new ByteStream(blocks(300_000), { type: 'text/plain', length: 300_000 }),
    }),
    api({
      ...open,
      id: 'unknown',
      method: 'GET',
      path: '/unknown',
      result: 'bytes',
      run: () => new ByteStream(blocks(300_000), { type: 'application/x-git-upload-pack-result' }),
    }),
    api({
      ...open,
      id: 'empty',
      method: 'GET',
      path: '/empty',
      result: 'bytes',
      run: () => new ByteStream(blocks(0), { type: 'text/plain', length: 0 }),
    }),
  ]);
  const headers = { 'accept-encoding': 'gzip, deflate' };
  const known = await rig.call('GET', '/api/v1/known', { headers });
  t.equal(known.headers['content-length'], '300000');
  t.equal(known.headers['content-type'], 'text/plain; charset=utf-8');
  t.equal(known.headers['content-encoding'], undefined, 'never compressed by the adapter');
  t.equal(known.headers['content-security-policy'], "default-src 'none'; sandbox");
  t.ok(known.bytes.equals(Buffer.alloc(300_000, 'x')));
  const unknown = await rig.call('GET', '/api/v1/unknown', { headers });
  t.equal(unknown.headers['transfer-encoding'], 'chunked');
  t.equal(unknown.headers['content-type'], 'application/x-git-upload-pack-result');
  t.equal(unknown.bytes.byteLength, 300_000);
  const empty = await rig.call('GET', '/api/v1/empty');
  t.equal(empty.status, 200, 'an empty stream is an answer');
  t.equal(empty.headers['content-length'], '0');
  t.equal(
    (await rig.call('GET', '/api/v1/known', { headers: { range: 'bytes=0-9' } })).status,
    200,
    'ranges are not supported',
  );
});

void t.test('a source that is not read to its end is closed', async (t) => {
  const open304 = watched(blocks(10_000_000));
  const head = watched(blocks(10_000_000));
  const hungUp = watched(blocks(1_000_000_000));
  const given = [head, open304, hungUp];
  const rig = await startRig(t, [
    api({
      ...open,
      id: 'bytes',
      method: 'GET',
      path: '/bytes',
      result: 'bytes',
      run: () => reply(new ByteStream((given.shift() ?? head).source, { type: 'a/b' }), { etag: 'v1' }),
    }),
  ]);
  t.equal((await rig.call('HEAD', '/api/v1/bytes')).status, 200);
  await head.state.closed.promise;
  t.equal(head.state.taken, 0, 'HEAD reads no chunk');
  t.equal((await rig.call('GET', '/api/v1/bytes', { headers: { 'if-none-match': '"v1"' } })).status, 304);
  await open304.state.closed.promise;
  t.equal(open304.state.taken, 0);
  const socket = connect(rig.port, '127.0.0.1');
  socket.write('GET /api/v1/bytes HTTP/1.1\r\nHost: x\r\nX-Request-Id: gone\r\n\r\n');
  await once(socket, 'data');
  socket.pause();
  socket.destroy();
  await hungUp.state.closed.promise;
  t.ok(hungUp.state.taken < 1_000, `backpressure: ${hungUp.state.taken} blocks taken`);
  const entry = await rig.entry('gone');
  t.equal(entry.status, 499);
  t.equal(rig.logged.length, 0, 'a client that disconnects is not logged as a fault');
});

void t.test(
  'a body that fails or differs from its length ends the connection, and the log has the reason',
  async (t) => {
    async function* breaks() {
      yield Buffer.from('abc');
      throw new Error('the disk is gone');
    }
    const streams: Record<string, ByteStream> = {
      breaks: new ByteStream(breaks(), { type: 'a/b' }),
      short: new ByteStream(blocks(10), { type: 'a/b', length: 11 }),
      long: new ByteStream(blocks(10, 1), { type: 'a/b', length: 5 }),
    };
    const rig = await startRig(
      t,
      Object.entries(streams).map(([name, stream]) =>
        api({ ...open, id: name, method: 'GET', path: `/${name}`, result: 'bytes', run: () => stream }),
      ),
    );
    await t.rejects(rig.call('GET', '/api/v1/breaks'), { code: 'ECONNRESET' });
    await t.rejects(rig.call('GET', '/api/v1/short'), { code: 'ECONNRESET' });
    t.equal(
      (await rig.call('GET', '/api/v1/long', { headers: { 'x-request-id': 'long' } })).text,
      'xxxxx',
      'not a byte more than announced',
    );
    await rig.entry('long');
    t.strictSame(
      rig.logged.map(({ message }) => message),
      ['a response broke off', 'a response broke off', 'a response broke off'],
    );
    t.match(rig.logged[0]?.members['stack'], /the disk is gone/);
    t.match(rig.logged[1]?.members['stack'], /a body of 11 bytes was announced and ended at 10/);
    t.match(rig.logged[2]?.members['stack'], /a body of 5 bytes was announced and goes on/);
  },
);

void t.test('a client that disconnects aborts the signal of the call', async (t) => {
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const rig = await startRig(t, [
    api({
      ...open,
      id: 'slow',
      method: 'GET',
      path: '/slow',
      result: count,
      run: async ({ signal }) => {
        signal.addEventListener('abort', () => aborted.resolve());
        started.resolve();
        await aborted.promise;
        throw new Error('stopped by the signal');
      },
    }),
    upload,
  ]);
  const socket = connect(rig.port, '127.0.0.1');
  socket.write('GET /api/v1/slow HTTP/1.1\r\nHost: x\r\nX-Request-Id: slow\r\n\r\n');
  await started.promise;
  socket.destroy();
  await aborted.promise;
  t.equal((await rig.entry('slow')).status, 499);
  for (const encoding of ['identity', 'gzip']) {
    const pushing = connect(rig.port, '127.0.0.1');
    pushing.write(
      `POST /api/v1/upload HTTP/1.1\r\nHost: x\r\nX-Request-Id: push-${encoding}\r\nContent-Encoding: ${encoding}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`,
    );
    await once(pushing, 'connect');
    setImmediate(() => pushing.destroy());
    t.equal((await rig.entry(`push-${encoding}`)).status, 499, encoding);
  }
  t.equal(rig.logged.length, 0);
});

void t.test('the signal is not aborted after a complete answer', async (t) => {
  const signals: AbortSignal[] = [];
  const rig = await startRig(t, [
    api({
      ...open,
      id: 'fine',
      method: 'GET',
      path: '/fine',
      result: count,
      run: ({ signal }) => {
        signals.push(signal);
        return { bytes: 0 };
      },
    }),
  ]);
  await rig.call('GET', '/api/v1/fine', { headers: { 'x-request-id': 'fine' } });
  await rig.entry('fine');
  t.equal(signals[0]?.aborted, false);
});

void t.test('statuses, empty bodies, headers and redirects of a reply', async (t) => {
  const rig = await startRig(t, [
    api({ ...open, id: 'gone', method: 'DELETE', path: '/gone', success: 204, result: 'empty', run: () => undefined }),
    api({
      ...open,
      id: 'made',
      method: 'POST',
      path: '/made',
      success: 201,
      result: count,
      run: () => reply({ bytes: 1 }, { headers: { Location: '/x', 'Cache-Control': 'private', Vary: 'Accept' } }),
    }),
    api({
      ...open,
      id: 'moved',
      method: 'GET',
      path: '/moved',
      result: 'empty',
      run: () => reply(undefined, { status: 308, headers: { location: '/there' } }),
    }),
    api({
      ...open,
      id: 'big',
      method: 'GET',
      path: '/big',
      result: Joi.array().items(Joi.string()),
      run: () => Array.from({ length: 500 }, () => 'word'),
    }),
  ]);
  const gone = await rig.call('DELETE', '/api/v1/gone');
  t.equal(gone.status, 204);
  t.strictSame([gone.text, gone.headers['content-length'], gone.headers['content-type']], ['', undefined, undefined]);
  const made = await rig.call('POST', '/api/v1/made');
  t.equal(made.status, 201);
  t.strictSame([made.headers.location, made.headers['cache-control'], made.headers.vary], ['/x', 'private', 'Accept']);
  const moved = await rig.call('GET', '/api/v1/moved');
  t.strictSame([moved.status, moved.headers.location, moved.text], [308, '/there', '']);
  const big = await rig.call('GET', '/api/v1/big', { headers: { 'accept-encoding': 'gzip' } });
  t.equal(big.headers['content-encoding'], 'gzip');
  t.ok(big.bytes.byteLength < 500);
});
