// Tests how long a connection may be idle: proxies keep connections for 60 s and more, so the server keeps them longer,
// and reports the time.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Joi from 'joi';
import t, { type Test } from 'tap';
import { api, object } from '#adapters/http/descriptor/route';
import { BetweenRequests } from '#adapters/http/overload/between-requests';
import { anyone } from '#core/kernel/access/access';
import { startRig } from '../rig.ts';

void t.test('the limits of silence and of a head', async (t) => {
  const of = (): BetweenRequests => new BetweenRequests({ idleMilliseconds: 75_000, headMilliseconds: 30_000 });
  const looks = (between: BetweenRequests, seconds: number, bytes: number) =>
    Array.from({ length: seconds }, () => between.look(1000, bytes, false)).findIndex(
      (exceeded) => exceeded !== undefined,
    );
  const fresh = of();
  t.equal(looks(fresh, 80, 0), 75, 'a new connection may be silent for 75 s');
  t.equal(fresh.look(1000, 0, true), 'idle');
  const slow = of();
  t.equal(looks(slow, 40, 0), -1);
  t.equal(looks(slow, 80, 3), 30, 'the time of a head counts from its first byte');
  t.equal(slow.look(1000, 5, true), 'head');
  const kept = of();
  kept.begin(500);
  t.equal(looks(kept, 60, 500), -1, 'bytes of earlier requests do not count as a head');
  kept.begin(900);
  t.equal(looks(kept, 80, 900), 75, 'the time counts from the last answer');
  kept.begin(950);
  t.equal(kept.look(29_999, 950, true), undefined);
  t.equal(kept.look(2, 950, true), 'head', 'its first bytes arrived before');
});

const fast = api({
  access: anyone,
  scope: null,
  id: 'fast',
  summary: 'Fast',
  method: 'GET',
  path: '/fast',
  result: object<{ ok: true }>({ ok: Joi.boolean().required() }),
  run: () => ({ ok: true as const }),
});
const request = 'GET /api/v1/fast HTTP/1.1\r\nHost: a\r\n\r\n';

async function opened(t: Test, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function answer(socket: Socket): Promise<string> {
  let text = '';
  while (!text.endsWith('}')) text += String((await once(socket, 'data'))[0]);
  return text;
}

void t.test('answers report how long the connection is kept: 75 s by default', async (t) => {
  for (const [idleMs, header] of [
    [undefined, 'Keep-Alive: timeout=75'],
    [3_600_000, 'Keep-Alive: timeout=3600'],
  ] as const) {
    const rig = await startRig(t, [fast], { idleMs });
    const socket = await opened(t, rig.port);
    for (const round of [1, 2]) {
      socket.write(request);
      const text = await answer(socket);
      t.ok(text.includes('\r\nConnection: keep-alive\r\n'), `round ${round}`);
      t.ok(text.includes(`\r\n${header}\r\n`), text);
    }
    socket.write('GET /api/v1/nowhere HTTP/1.1\r\nHost: a\r\n\r\n');
    t.ok((await answer(socket)).includes(`\r\n${header}\r\n`), 'an error too');
    socket.write(request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    t.notMatch(await answer(socket), /keep-alive/i);
  }
});

void t.test('a silent connection is closed without an answer, new or kept', async (t) => {
  const rig = await startRig(t, [fast], { idleMs: 150, headMs: 60_000 });
  const socket = await opened(t, rig.port);
  socket.resume();
  let text = '';
  socket.on('data', (chunk: string) => void (text += chunk));
  await once(socket, 'close');
  t.equal(text, '');
});

void t.test('the head of a request has its own limit, shorter than the silence before it', async (t) => {
  const rig = await startRig(t, [fast], { idleMs: 60_000, headMs: 150 });
  const silent = await opened(t, rig.port);
  for (const before of ['', request]) {
    const socket = await opened(t, rig.port);
    if (before !== '') {
      socket.write(before);
      await answer(socket);
    }
    socket.write('GET /api/v1/fast HTTP/1.1\r\n');
    const late = await answer(socket);
    t.match(late, /^HTTP\/1\.1 408 /);
    t.match(late, /"error":"The request did not arrive in time"/);
  }
  silent.write(request);
  t.match(await answer(silent), /^HTTP\/1\.1 200 /, 'the silent connection is still open');
});

void t.test('a head that began before the previous answer ended has the limit of a head', async (t) => {
  const rig = await startRig(t, [fast], { idleMs: 5000, headMs: 150 });
  const socket = await opened(t, rig.port);
  let text = '';
  socket.on('data', (chunk: string) => void (text += chunk));
  const empty = await opened(t, rig.port);
  let closed = false;
  empty.once('close', () => (closed = true));
  empty.write(request);
  await answer(empty);
  socket.write(`${request}GET /api/v1/fast HTTP/1.1\r\n`);
  await once(socket, 'close');
  t.match(text, /^HTTP\/1\.1 200 [^]*HTTP\/1\.1 408 /);
  t.equal(closed, false, 'a connection without one is kept');
});
