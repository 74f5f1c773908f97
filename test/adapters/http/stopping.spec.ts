// The access log, the graceful stop and a taken port.
import { once } from 'node:events';
import { request as send, Agent, type IncomingMessage } from 'node:http';
import Joi from 'joi';
import t from 'tap';
import { api, ByteStream, object } from '#adapters/http/route';
import { anyone } from '#core/kernel/access';
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
    time: '2026-11-21T10:00:00.250Z',
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

void t.test('a taken port is told by its code', async (t) => {
  const rig = await startRig(t, []);
  await t.rejects(startRig(t, [], { port: rig.port }), { code: 'EADDRINUSE' });
});
