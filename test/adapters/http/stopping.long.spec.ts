// The access log, the graceful stop and a port in use.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request as send, Agent, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import Joi from 'joi';
import t from 'tap';
import { api, ByteStream, object } from '#adapters/http/descriptor/route';
import { anyone } from '#core/kernel/access/access';
import { bearer, startRig } from './rig.ts';

const open = { access: anyone, scope: null, meter: 'none', summary: 'For a test' } as const;
const count = object<{ bytes: number }>({ bytes: Joi.number().required() });

void t.test('one access log line per request, without path, query or secret', async (t) => {
  const params = object<{ name: string }>({ name: Joi.string().required() });
  const rig = await startRig(t, [
    api({
      ...open,
      id: 'thing',
      method: 'GET',
      path: '/things/{name}',
      params,
      result: count,
      run: () => ({ bytes: 1 }),
    }),
    api({
      ...open,
      id: 'uploadPack',
      method: 'GET',
      path: '/{owner}/{repo}.git/git-upload-pack',
      mount: 'root',
      hidden: true,
      result: count,
      run: () => ({ bytes: 1 }),
    }),
  ]);
  const sent = await rig.call('HEAD', '/api/v1/things/SECRET?token=SECRET', {
    headers: { ...bearer('pat-read'), 'x-request-id': 'one' },
  });
  t.equal(sent.status, 200);
  const entry = await rig.entry('one');
  t.match(entry, {
    requestId: 'one',
    method: 'HEAD',
    route: '/api/v1/things/{name}',
    status: 200,
    userId: 'id-alice',
    credential: 'pat',
  });
  t.ok(entry.ms >= 0 && entry.bytes > 100, `${entry.ms} ms, ${entry.bytes} bytes`);
  await rig.call('GET', '/a/b.git/git-upload-pack', { headers: { 'x-request-id': 'two' } });
  t.match(await rig.entry('two'), { route: 'uploadPack', status: 200 });
  await rig.call('POST', '/SECRET', { headers: { 'x-request-id': 'three', ...bearer('bad') } });
  const lost = await rig.entry('three');
  t.match(lost, { method: 'POST', route: '-', status: 404 });
  t.strictSame([lost.userId, lost.credential], [undefined, undefined]);
  t.notMatch(JSON.stringify([rig.access, rig.logged]), /SECRET|pat-read/);
});

void t.test('a stop lets running requests finish, ends event streams and rejects new requests', async (t) => {
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
    api({
      ...open,
      id: 'slow',
      method: 'GET',
      path: '/slow',
      result: count,
      run: async () => {
        entered.resolve();
        await finish.promise;
        return { bytes: 1 };
      },
    }),
    api({
      ...open,
      id: 'events',
      method: 'GET',
      path: '/events',
      result: 'bytes',
      run: ({ signal }) => {
        streamSignal.resolve(signal);
        return new ByteStream(events(), { type: 'text/event-stream' });
      },
    }),
    api({ ...open, id: 'fast', method: 'GET', path: '/fast', result: count, run: () => ({ bytes: 1 }) }),
  ]);
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const idle = send({ port: rig.port, path: '/api/v1/fast', agent }).end();
  const [answered] = (await once(idle, 'response')) as [IncomingMessage];
  answered.resume();
  await once(answered, 'end');
  const slow = rig.call('GET', '/api/v1/slow');
  const streaming = rig.call('GET', '/api/v1/events', { headers: { 'accept-encoding': 'gzip' } });
  const signal = await streamSignal.promise;
  await Promise.all([entered.promise, sent.promise]);
  const stopped = rig.server.stop(10_000);
  t.equal((await streaming).text, 'data: 1\n\n', 'ended, not cut off');
  t.equal(signal.aborted, true);
  await t.rejects(rig.call('GET', '/api/v1/fast'), { code: 'ECONNREFUSED' });
  finish.resolve();
  const last = await slow;
  t.strictSame([last.status, last.headers.connection], [200, 'close']);
  await stopped;
});

void t.test('a stop aborts requests that outlast its grace period', async (t) => {
  const entered = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const rig = await startRig(t, [
    api({
      ...open,
      id: 'endless',
      method: 'GET',
      path: '/endless',
      result: count,
      run: ({ signal }) => {
        entered.resolve();
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            aborted.resolve();
            reject(new Error('aborted'));
          }),
        );
      },
    }),
  ]);
  const endless = rig.call('GET', '/api/v1/endless');
  const lost = t.rejects(endless, { code: 'ECONNRESET' });
  await entered.promise;
  await rig.server.stop(20);
  await aborted.promise;
  await lost;
});

void t.test('a port in use rejects with EADDRINUSE', async (t) => {
  const rig = await startRig(t, []);
  await t.rejects(startRig(t, [], { port: rig.port }), { code: 'EADDRINUSE' });
});

/**
 * Posts on one connection after the other until the server has stopped; adds the ids of complete answers to `answered`.
 */
async function post(port: number, client: number, answered: Set<string>): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let number = 0; ; number += 1) {
    const id = `${client}-${number}`;
    const body = JSON.stringify({ id });
    const refused = await new Promise<boolean>((resolve) => {
      const message = send({
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/api/v1/marks',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      });
      message.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
      message.on('response', (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => void (text += chunk.toString()));
        response.on('error', () => resolve(false));
        response.on('end', () => {
          if (response.statusCode === 200 && text === body) answered.add(id);
          resolve(false);
        });
      });
      message.end(body);
    });
    if (refused) return agent.destroy();
    // Some connections are idle when the stop begins, and reused at that time.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 6));
  }
}

void t.test('every request done before SIGTERM is answered: no request is done and then cut off', async (t) => {
  for (let round = 1; round <= 4; round += 1) {
    const child = fork(new URL('stopping-child.ts', import.meta.url), { execArgv: [], stdio: 'inherit' });
    t.teardown(() => child.kill('SIGKILL'));
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    const answered = new Set<string>();
    const clients = Array.from({ length: 48 }, (_, client) => post(port, client, answered));
    while (answered.size < 150 + 20 * round) await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill('SIGTERM');
    const [[{ done }], [code]] = (await Promise.all([once(child, 'message'), once(child, 'exit')])) as [
      [{ done: string[] }],
      [number],
    ];
    await Promise.all(clients);
    t.strictSame(
      done.filter((id) => !answered.has(id)),
      [],
      `round ${round}: ${done.length} requests`,
    );
    t.strictSame([answered.size, code], [done.length, 0]);
  }
});

void t.test('a request on a kept connection during a stop is answered, and its connection closed', async (t) => {
  const rig = await startRig(t, [
    api({ ...open, id: 'fast', method: 'GET', path: '/fast', result: count, run: () => ({ bytes: 1 }) }),
  ]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const get = async (): Promise<IncomingMessage> => {
    const [answer] = (await once(send({ port: rig.port, path: '/api/v1/fast', agent }).end(), 'response')) as [
      IncomingMessage,
    ];
    answer.resume();
    await once(answer, 'end');
    return answer;
  };
  t.equal((await get()).headers.connection, 'keep-alive');
  const stopped = rig.server.stop(9_000);
  await new Promise((resolve) => setTimeout(resolve, 10));
  const last = await get();
  t.strictSame([last.statusCode, last.headers.connection], [200, 'close']);
  await stopped;
});

void t.test('a client with an idle connection does not delay a stop', async (t) => {
  const rig = await startRig(t, []);
  const socket = connect({ port: rig.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  const started = performance.now();
  await rig.server.stop(9_000);
  t.ok(performance.now() - started < 4_500, 'well before the grace period ends');
  socket.destroy();
});

void t.test('connections are limited per client, but not for a trusted proxy', async (t) => {
  const open3 = async (trustedProxies: readonly string[]): Promise<string> => {
    const rig = await startRig(t, [], { connectionsPerClient: 2, trustedProxies });
    const sockets = [];
    for (let number = 0; number < 2; number += 1) {
      const socket = connect(rig.port, '127.0.0.1');
      t.teardown(() => socket.destroy());
      await once(socket, 'connect');
      sockets.push(socket);
    }
    const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const third = await rig.raw(request);
    sockets[0]?.destroy();
    for (;;) {
      const next = await rig.raw(request);
      if (next.startsWith('HTTP/1.1 200')) return third;
    }
  };
  t.match(await open3([]), /^HTTP\/1.1 429 [^]*Retry-After: 1[^]*"error_code":"rate_limited"/);
  t.match(await open3(['127.0.0.1']), /^HTTP\/1.1 200 /);
});
