// Bodies in and out as bytes, entity tags, hang-ups, the access log and the graceful stop.
import { once } from 'node:events';
import { request as send, Agent, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import t from 'tap';
import Joi from 'joi';
import { anyone } from '#core/kernel/access';
import { Conflict } from '#core/kernel/errors';
import { matches } from '#adapters/http/etag';
import { api, ByteStream, object, reply, tagged, type RawBody } from '#adapters/http/route';
import { bearer, startRig } from './rig.ts';

const open = { access: anyone, scope: null, meter: 'none', summary: 'For a test' } as const;
const count = object<{ bytes: number }>({ bytes: Joi.number().required() });

async function* blocks(total: number, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let left = total; left > 0; left -= size) yield Buffer.alloc(Math.min(size, left), 'x');
}
/** A source one can watch: what was taken from it and whether it was closed. */
function watched(inner: AsyncIterable<Uint8Array>) {
  const iterator = inner[Symbol.asyncIterator]();
  const state = { taken: 0, closed: Promise.withResolvers<void>() };
  const source: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({
    next: async () => { state.taken++; return iterator.next(); },
    return: async () => { state.closed.resolve(); await iterator.return?.(undefined); return { done: true, value: undefined }; },
  }) };
  return { source, state };
}

const upload = api({ ...open, id: 'upload', method: 'POST', path: '/upload', body: 'raw', maxBytes: 1_000_000, result: count, run: async (_, { body }) => {
  let bytes = 0;
  for await (const chunk of body as unknown as RawBody) bytes += chunk.byteLength;
  return { bytes };
} });

void t.test('a raw body is counted as it arrives', async (t) => {
  const rig = await startRig(t, [upload]);
  t.strictSame((await rig.call('POST', '/api/v1/upload', { body: blocks(1_000_000) })).body, { bytes: 1_000_000 }, 'the bound itself passes');
  t.strictSame((await rig.call('POST', '/api/v1/upload')).body, { bytes: 0 });
  for (const body of [blocks(1_000_001), Buffer.alloc(1_000_001), blocks(8_000_000)]) {
    const answer = await rig.call('POST', '/api/v1/upload', { body });
    t.equal(answer.status, 413);
    t.strictSame(answer.body, { error: 'The body is too large', detail: 'The limit is 1000000 bytes', error_code: 'payload_too_large' });
  }
  const gzip = { 'content-encoding': 'gzip' };
  t.strictSame((await rig.call('POST', '/api/v1/upload', { headers: gzip, body: gzipSync(Buffer.alloc(900_000)) })).body, { bytes: 900_000 });
  t.equal((await rig.call('POST', '/api/v1/upload', { headers: gzip, body: gzipSync(Buffer.alloc(60_000_000)) })).status, 413, 'the bound is on what comes out');
  t.equal((await rig.call('POST', '/api/v1/upload', { headers: gzip, body: 'junk' })).status, 400);
  t.equal((await rig.call('POST', '/api/v1/upload', { headers: { 'content-encoding': 'zstd' }, body: 'junk' })).status, 415);
  t.equal((await rig.call('POST', '/api/v1/upload', { headers: { 'content-type': ';;;' }, body: 'abc' })).status, 200, 'the type of a raw body is the handler\'s affair');
  t.equal(rig.logged.length, 0);
});

void t.test('a refused body is not read before access is decided, and the connection survives it', async (t) => {
  let read = false;
  const guarded = api({ ...open, id: 'guarded', access: { who: 'signed-in' }, method: 'POST', path: '/guarded', body: 'raw', maxBytes: Number.MAX_SAFE_INTEGER, result: count, run: () => { read = true; return { bytes: 0 }; } });
  const rig = await startRig(t, [guarded]);
  const answer = await rig.call('POST', '/api/v1/guarded', { body: blocks(5_000_000) });
  t.equal(answer.status, 401);
  t.equal(read, false);
  t.equal((await rig.call('POST', '/nothing', { body: blocks(5_000_000) })).status, 404);
});

void t.test('a client that waits for leave to send its body gets it', async (t) => {
  const rig = await startRig(t, [upload]);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const message = send({ port: rig.port, method: 'POST', path: '/api/v1/upload', headers: { expect: '100-continue', 'transfer-encoding': 'chunked' }, agent: false }, resolve).on('error', reject);
  message.flushHeaders();
  await once(message, 'continue');
  message.end('abc');
  const answer = await promise;
  t.equal(answer.statusCode, 200);
  t.strictSame(JSON.parse(Buffer.concat(await answer.toArray() as Uint8Array[]).toString()), { bytes: 3 });
});

void t.test('bytes go out as they are, with a length where it is known', async (t) => {
  const rig = await startRig(t, [
    api({ ...open, id: 'known', method: 'GET', path: '/known', result: 'bytes', run: () => new ByteStream(blocks(300_000), { type: 'text/plain', length: 300_000 }) }),
    api({ ...open, id: 'unknown', method: 'GET', path: '/unknown', result: 'bytes', run: () => new ByteStream(blocks(300_000), { type: 'application/x-git-upload-pack-result' }) }),
    api({ ...open, id: 'empty', method: 'GET', path: '/empty', result: 'bytes', run: () => new ByteStream(blocks(0), { type: 'text/plain', length: 0 }) }),
  ]);
  const headers = { 'accept-encoding': 'gzip, deflate' };
  const known = await rig.call('GET', '/api/v1/known', { headers });
  t.equal(known.headers['content-length'], '300000');
  t.equal(known.headers['content-type'], 'text/plain; charset=utf-8');
  t.equal(known.headers['content-encoding'], undefined, 'never compressed on the way');
  t.equal(known.headers['content-security-policy'], "default-src 'none'; sandbox");
  t.ok(known.bytes.equals(Buffer.alloc(300_000, 'x')));
  const unknown = await rig.call('GET', '/api/v1/unknown', { headers });
  t.equal(unknown.headers['transfer-encoding'], 'chunked');
  t.equal(unknown.headers['content-type'], 'application/x-git-upload-pack-result');
  t.equal(unknown.bytes.byteLength, 300_000);
  const empty = await rig.call('GET', '/api/v1/empty');
  t.equal(empty.status, 200, 'no bytes are an answer too');
  t.equal(empty.headers['content-length'], '0');
  t.equal((await rig.call('GET', '/api/v1/known', { headers: { range: 'bytes=0-9' } })).status, 200, 'ranges are not offered');
});

void t.test('a source nobody reads to the end is closed', async (t) => {
  const open304 = watched(blocks(10_000_000));
  const head = watched(blocks(10_000_000));
  const hungUp = watched(blocks(1_000_000_000));
  const given = [head, open304, hungUp];
  const rig = await startRig(t, [api({ ...open, id: 'bytes', method: 'GET', path: '/bytes', result: 'bytes', run: () => reply(new ByteStream((given.shift() ?? head).source, { type: 'a/b' }), { etag: 'v1' }) })]);
  t.equal((await rig.call('HEAD', '/api/v1/bytes')).status, 200);
  await head.state.closed.promise;
  t.equal(head.state.taken, 0, 'HEAD takes nothing');
  t.equal((await rig.call('GET', '/api/v1/bytes', { headers: { 'if-none-match': '"v1"' } })).status, 304);
  await open304.state.closed.promise;
  t.equal(open304.state.taken, 0);
  const socket = connect(rig.port, '127.0.0.1');
  socket.write('GET /api/v1/bytes HTTP/1.1\r\nHost: x\r\nX-Request-Id: gone\r\n\r\n');
  await once(socket, 'data');
  socket.pause();
  socket.destroy();
  await hungUp.state.closed.promise;
  t.ok(hungUp.state.taken < 1_000, `back-pressure held: ${hungUp.state.taken} blocks taken`);
  const entry = await rig.entry('gone');
  t.equal(entry.status, 499);
  t.equal(rig.logged.length, 0, 'a client that hangs up is no fault of ours');
});

void t.test('a body that breaks off or lies about its length ends the connection, and the log says why', async (t) => {
  async function* breaks() {
    yield Buffer.from('abc');
    throw new Error('the disk is gone');
  }
  const streams: Record<string, ByteStream> = {
    breaks: new ByteStream(breaks(), { type: 'a/b' }),
    short: new ByteStream(blocks(10), { type: 'a/b', length: 11 }),
    long: new ByteStream(blocks(10, 1), { type: 'a/b', length: 5 }),
  };
  const rig = await startRig(t, Object.entries(streams).map(([name, stream]) => api({ ...open, id: name, method: 'GET', path: `/${name}`, result: 'bytes', run: () => stream })));
  await t.rejects(rig.call('GET', '/api/v1/breaks'), { code: 'ECONNRESET' });
  await t.rejects(rig.call('GET', '/api/v1/short'), { code: 'ECONNRESET' });
  t.equal((await rig.call('GET', '/api/v1/long', { headers: { 'x-request-id': 'long' } })).text, 'xxxxx', 'not a byte more than announced');
  await rig.entry('long');
  t.strictSame(rig.logged.map(({ message }) => message), ['a response broke off', 'a response broke off', 'a response broke off']);
  t.match(rig.logged[0]?.members['stack'], /the disk is gone/);
  t.match(rig.logged[1]?.members['stack'], /a body of 11 bytes was announced and ended at 10/);
  t.match(rig.logged[2]?.members['stack'], /a body of 5 bytes was announced and goes on/);
});

void t.test('a client that hangs up aborts the signal of the call', async (t) => {
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const rig = await startRig(t, [
    api({ ...open, id: 'slow', method: 'GET', path: '/slow', result: count, run: async ({ signal }) => {
      signal.addEventListener('abort', () => aborted.resolve());
      started.resolve();
      await aborted.promise;
      throw new Error('stopped by the signal');
    } }),
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
    pushing.write(`POST /api/v1/upload HTTP/1.1\r\nHost: x\r\nX-Request-Id: push-${encoding}\r\nContent-Encoding: ${encoding}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`);
    await once(pushing, 'connect');
    setImmediate(() => pushing.destroy());
    t.equal((await rig.entry(`push-${encoding}`)).status, 499, encoding);
  }
  t.equal(rig.logged.length, 0);
});

void t.test('the signal stays quiet where the answer was whole', async (t) => {
  const signals: AbortSignal[] = [];
  const rig = await startRig(t, [api({ ...open, id: 'fine', method: 'GET', path: '/fine', result: count, run: ({ signal }) => { signals.push(signal); return { bytes: 0 }; } })]);
  await rig.call('GET', '/api/v1/fine', { headers: { 'x-request-id': 'fine' } });
  await rig.entry('fine');
  t.equal(signals[0]?.aborted, false);
});

void t.test('statuses, empty bodies, headers and redirects of a reply', async (t) => {
  const rig = await startRig(t, [
    api({ ...open, id: 'gone', method: 'DELETE', path: '/gone', success: 204, result: 'empty', run: () => undefined }),
    api({ ...open, id: 'made', method: 'POST', path: '/made', success: 201, result: count, run: () => reply({ bytes: 1 }, { headers: { Location: '/x', 'Cache-Control': 'private', Vary: 'Accept' } }) }),
    api({ ...open, id: 'moved', method: 'GET', path: '/moved', result: 'empty', run: () => reply(undefined, { status: 308, headers: { location: '/there' } }) }),
    api({ ...open, id: 'big', method: 'GET', path: '/big', result: Joi.array().items(Joi.string()), run: () => Array.from({ length: 500 }, () => 'word') }),
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

void t.test('entity tags', async (t) => {
  const rig = await startRig(t, [
    api({ ...open, id: 'tagged', method: 'GET', path: '/tagged', result: count, run: () => reply({ bytes: 1 }, { etag: 'v1', headers: { 'cache-control': 'private, max-age=5' } }) }),
    api({ ...open, id: 'early', method: 'GET', path: '/early', result: count, run: () => tagged('v1', async () => ({ bytes: 1 })) }),
    api({ ...open, id: 'posted', method: 'POST', path: '/posted', result: count, run: () => reply({ bytes: 1 }, { etag: 'v1' }) }),
    api({ ...open, id: 'large', method: 'GET', path: '/large', result: Joi.array(), run: () => reply(Array.from({ length: 500 }, () => 'word'), { etag: 'v1' }) }),
  ]);
  const fresh = await rig.call('GET', '/api/v1/tagged');
  t.strictSame([fresh.status, fresh.headers.etag, fresh.headers['cache-control']], [200, '"v1"', 'private, max-age=5']);
  for (const path of ['tagged', 'early']) {
    for (const method of ['GET', 'HEAD']) {
      for (const header of ['"v1"', 'W/"v1"', '"v0", "v1"', '"v0",W/"v1"', '*', '"v1-gzip"']) {
        const answer = await rig.call(method, `/api/v1/${path}`, { headers: { 'if-none-match': header } });
        t.strictSame([answer.status, answer.headers.etag, answer.text, answer.headers['content-length'], answer.headers['cache-control']], [304, '"v1"', '', undefined, path === 'tagged' ? 'private, max-age=5' : 'no-store'], `${method} ${path} ${header}`);
      }
    }
    for (const header of ['"v2"', 'v1', '"V1"', '""', '"v1']) t.equal((await rig.call('GET', `/api/v1/${path}`, { headers: { 'if-none-match': header } })).status, 200, header);
  }
  t.equal((await rig.call('POST', '/api/v1/posted', { headers: { 'if-none-match': '"v1"' } })).status, 200, 'a change is never answered with 304');
  const large = await rig.call('GET', '/api/v1/large', { headers: { 'accept-encoding': 'gzip' } });
  t.equal(large.headers.etag, '"v1-gzip"', 'each representation has its own tag');
  t.equal((await rig.call('GET', '/api/v1/large', { headers: { 'accept-encoding': 'gzip', 'if-none-match': '"v1-gzip"' } })).status, 304);
  t.equal(matches(undefined, 'v1'), false);
  t.equal(matches(' * ', 'v1'), true);
  t.equal(matches('"a-gzip"', 'a-gzip'), true, 'a tag of ours may end like that itself');
});

void t.test('a body known by its tag is made where neither the client nor the forge has it', async (t) => {
  let made = 0;
  let tag = 'v1';
  const making = async <T>(body: T): Promise<T> => {
    made += 1;
    return body;
  };
  const words = Array.from({ length: 500 }, () => 'word');
  const query = object<{ a: string }>({ a: Joi.string().default('') });
  const rig = await startRig(t, [
    api({ ...open, id: 'list', method: 'GET', path: '/list', query, result: Joi.array(), run: (_, { query: { a } }) => tagged(tag, () => making([...words, a]), { 'cache-control': 'private' }) }),
    api({ ...open, id: 'later', method: 'GET', path: '/later', result: count, run: () => tagged(tag, () => making(reply({ bytes: made }, { provisional: true })), { 'cache-control': 'private' }) }),
    api({ ...open, id: 'raw', method: 'GET', path: '/raw', result: 'bytes', run: () => tagged(tag, () => making(reply(new ByteStream(chunks(), { type: 'text/plain' }), { headers: { 'x-more': 'yes' } }))) }),
    api({ ...open, id: 'wrong', method: 'GET', path: '/wrong', result: count, run: () => tagged(tag, () => making({ bytes: 'none' } as never)) }),
    api({ ...open, id: 'refused', method: 'GET', path: '/refused', result: count, run: () => tagged(tag, () => Promise.reject(new Conflict('Not now'))) }),
  ]);
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const { status, headers: sent, text, bytes } = await rig.call('GET', `/api/v1/${path}`, { headers });
    return { status, text, bytes, etag: sent.etag, cache: sent['cache-control'], type: sent['content-type'], encoding: sent['content-encoding'], length: sent['content-length'], vary: sent.vary, more: sent['x-more'] };
  };

  const first = await get('list');
  t.strictSame([first.status, JSON.parse(first.text), first.etag, first.cache, first.type, made], [200, [...words, ''], '"v1"', 'private', 'application/json; charset=utf-8', 1]);
  t.strictSame(await get('list'), first, 'the second is the first');
  t.equal(made, 1);
  t.strictSame((await rig.call('HEAD', '/api/v1/list')).headers['content-length'], first.length);
  t.equal(made, 1);

  const zipped = await get('list', { 'accept-encoding': 'gzip' });
  t.strictSame([zipped.status, gunzipSync(zipped.bytes).toString(), zipped.etag, zipped.encoding, zipped.vary, zipped.length], [200, first.text, '"v1-gzip"', 'gzip', 'accept-encoding', String(zipped.bytes.byteLength)]);
  t.strictSame(await get('list', { 'accept-encoding': 'gzip' }), zipped);
  t.strictSame([gunzipSync((await get('list?a=2', { 'accept-encoding': 'gzip' })).bytes).toString(), made], [JSON.stringify([...words, '2']), 2], 'another URL is another body');
  t.strictSame((await get('list?a=2', { 'accept-encoding': 'deflate' })).encoding, 'deflate');
  t.equal(made, 2);
  tag = 'v2';
  t.strictSame([(await get('list')).etag, made], ['"v2"', 3], 'another tag is another body');

  made = 0;
  t.strictSame([(await get('later')).text, (await get('later')).text], ['{"bytes":0}', '{"bytes":1}'], 'what is provisional is not kept');
  const { etag, cache } = await get('later');
  t.strictSame([etag, cache], [undefined, 'private'], 'and has no tag');

  made = 0;
  for (let round = 1; round <= 2; round += 1) {
    const raw = await get('raw');
    t.strictSame([raw.text, raw.etag, raw.more, made], ['ab', '"v2"', 'yes', round], 'bytes are not kept');
  }
  t.strictSame([(await get('raw', { 'if-none-match': '"v2"' })).status, made], [304, 2]);

  for (let round = 0; round < 2; round += 1) t.strictSame([(await get('wrong')).status, (await get('refused')).status], [500, 409], 'failures are not kept');
});

async function* chunks(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('a');
  yield Buffer.from('b');
}

void t.test('one access log line per request, without path, query or secret', async (t) => {
  const params = object<{ name: string }>({ name: Joi.string().required() });
  const rig = await startRig(t, [
    api({ ...open, id: 'thing', method: 'GET', path: '/things/{name}', params, result: count, run: () => ({ bytes: 1 }) }),
    api({ ...open, id: 'uploadPack', method: 'GET', path: '/{owner}/{repo}.git/git-upload-pack', mount: 'root', hidden: true, result: count, run: () => ({ bytes: 1 }) }),
  ]);
  const sent = await rig.call('HEAD', '/api/v1/things/SECRET?token=SECRET', { headers: { ...bearer('pat-read'), 'x-request-id': 'one' } });
  t.equal(sent.status, 200);
  const entry = await rig.entry('one');
  t.match(entry, { time: '2026-11-21T10:00:00.250Z', requestId: 'one', method: 'HEAD', route: '/api/v1/things/{name}', status: 200, userId: 'id-alice', credential: 'pat' });
  t.ok(entry.ms >= 0 && entry.bytes > 100, `${entry.ms} ms, ${entry.bytes} bytes`);
  await rig.call('GET', '/a/b.git/git-upload-pack', { headers: { 'x-request-id': 'two' } });
  t.match(await rig.entry('two'), { route: 'uploadPack', status: 200 });
  await rig.call('POST', '/SECRET', { headers: { 'x-request-id': 'three', ...bearer('bad') } });
  const lost = await rig.entry('three');
  t.match(lost, { method: 'POST', route: '-', status: 404 });
  t.strictSame([lost.userId, lost.credential], [undefined, undefined]);
  t.notMatch(JSON.stringify([rig.access, rig.logged]), /SECRET|pat-read/);
});

void t.test('a stop lets what runs finish, ends event streams and refuses the rest', async (t) => {
  const entered = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const streamSignal = Promise.withResolvers<AbortSignal>();
  const sent = Promise.withResolvers<void>();
  async function* events(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('data: 1\n\n');
    sent.resolve();
    await new Promise(() => undefined);
  }
  const rig = await startRig(t, [
    api({ ...open, id: 'slow', method: 'GET', path: '/slow', result: count, run: async () => { entered.resolve(); await finish.promise; return { bytes: 1 }; } }),
    api({ ...open, id: 'events', method: 'GET', path: '/events', result: 'bytes', run: ({ signal }) => { streamSignal.resolve(signal); return new ByteStream(events(), { type: 'text/event-stream' }); } }),
    api({ ...open, id: 'fast', method: 'GET', path: '/fast', result: count, run: () => ({ bytes: 1 }) }),
  ]);
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const idle = send({ port: rig.port, path: '/api/v1/fast', agent }).end();
  const [answered] = await once(idle, 'response') as [IncomingMessage];
  answered.resume();
  await once(answered, 'end');
  const slow = rig.call('GET', '/api/v1/slow');
  const streaming = rig.call('GET', '/api/v1/events', { headers: { 'accept-encoding': 'gzip' } });
  const signal = await streamSignal.promise;
  await Promise.all([entered.promise, sent.promise]);
  const stopped = rig.server.stop(10_000);
  t.equal((await streaming).text, 'data: 1\n\n', 'ended, not broken off');
  t.equal(signal.aborted, true);
  await t.rejects(rig.call('GET', '/api/v1/fast'), { code: 'ECONNREFUSED' });
  finish.resolve();
  const last = await slow;
  t.strictSame([last.status, last.headers.connection], [200, 'close']);
  await stopped;
});

void t.test('a stop cuts what outlasts its grace', async (t) => {
  const entered = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const rig = await startRig(t, [api({ ...open, id: 'endless', method: 'GET', path: '/endless', result: count, run: ({ signal }) => {
    entered.resolve();
    return new Promise((_, reject) => signal.addEventListener('abort', () => { aborted.resolve(); reject(new Error('aborted')); }));
  } })]);
  const endless = rig.call('GET', '/api/v1/endless');
  const lost = t.rejects(endless, { code: 'ECONNRESET' });
  await entered.promise;
  await rig.server.stop(20);
  await aborted.promise;
  await lost;
});

void t.test('a taken port is told by its code', async (t) => {
  const rig = await startRig(t, []);
  await t.rejects(startRig(t, [], { port: rig.port }), { code: 'EADDRINUSE' });
});
