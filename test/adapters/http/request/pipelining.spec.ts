// HTTP pipelining: requests that a connection sends without waiting for answers.
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Joi from 'joi';
import t, { type Test } from 'tap';
import { channel } from '#adapters/http/live/channel';
import { api, ByteStream, object } from '#adapters/http/descriptor/route';
import type { HttpOptions } from '#adapters/http/server';
import { anyone } from '#core/kernel/access/access';
import { startRig } from '../rig.ts';

const open = { access: anyone, scope: null, meter: 'none', summary: 'For a test' } as const;
const numbered = object<{ number: number }>({ number: Joi.number().required() });
const text = object<{ text: string }>({ text: Joi.string().required() });

const get = (path: string, ...headers: readonly string[]): string =>
  [`GET /api/v1/${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
const post = (body: string, ...headers: readonly string[]): string =>
  ['POST /api/v1/texts HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers]
    .concat(`Content-Length: ${body.length}`, '', body)
    .join('\r\n');
const lastOne = 'Connection: close';

/** The numbers from 1 on. */
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const ahead = (count: number): string =>
  upTo(count)
    .map((number) => get(`numbers?number=${number}`, ...(number === count ? [lastOne] : [])))
    .join('');
const numbersIn = (answers: string): number[] =>
  [...answers.matchAll(/\{"number":(\d+)\}/g)].map(([, number]) => Number(number));

/** A server that records what it has done, and answers `/held` when released. */
async function heldRig(t: Test, overrides: Partial<HttpOptions> = {}) {
  const done: (number | 'held')[] = [];
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const inherited = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  async function* bytes(): AsyncGenerator<Uint8Array> {
    inherited.enterWith('the stream');
    yield Buffer.from('streamed');
  }
  const rig = await startRig(
    t,
    [
      api({
        ...open,
        id: 'number',
        method: 'GET',
        path: '/numbers',
        query: numbered,
        result: numbered,
        run(_call, { query: { number } }) {
          seen.push(inherited.getStore());
          done.push(number);
          return { number };
        },
      }),
      api({
        ...open,
        id: 'held',
        method: 'GET',
        path: '/held',
        result: numbered,
        async run({ signal }) {
          signal.addEventListener('abort', () => aborted.resolve());
          done.push('held');
          held.resolve();
          await release.promise;
          return { number: 0 };
        },
      }),
      api({
        ...open,
        id: 'stream',
        method: 'GET',
        path: '/stream',
        result: 'bytes',
        run: () => inherited.run('the stream', () => new ByteStream(bytes(), { type: 'text/plain' })),
      }),
      api({
        ...open,
        id: 'text',
        method: 'POST',
        path: '/texts',
        body: text,
        result: text,
        run: (_, { body }) => body,
      }),
    ],
    overrides,
  );
  const client = (): { readonly socket: Socket; readonly answers: Promise<string> } => {
    const socket = connect(rig.port, '127.0.0.1');
    let all = '';
    socket
      .setEncoding('utf8')
      .on('data', (chunk: string) => void (all += chunk))
      .on('error', () => undefined);
    return { socket, answers: once(socket, 'close').then(() => all) };
  };
  /** By then the data of other connections has been read. */
  const settled = async (): Promise<void> => {
    for (let round = 0; round < 20; round += 1) await rig.call('GET', '/healthz');
  };
  return { rig, client, settled, done, held: held.promise, release: release.resolve, aborted: aborted.promise, seen };
}

void t.test(
  '1,500 pipelined requests are answered in order, at most one starting per event loop iteration',
  async (t) => {
    let turn = 0;
    let ticking = setImmediate(function tick() {
      turn += 1;
      ticking = setImmediate(tick);
    });
    t.teardown(() => clearImmediate(ticking));
    const begunIn: number[] = [];
    const ids = {
      uuid() {
        begunIn.push(turn);
        return '00000000-0000-4000-8000-000000000000';
      },
      bytes: (length: number) => new Uint8Array(length),
    };
    const { rig } = await heldRig(t, { ids });
    const answers = await rig.raw(ahead(1_500));
    t.strictSame(numbersIn(answers), upTo(1_500));
    t.strictSame([begunIn.length, new Set(begunIn).size], [1_500, 1_500]);
  },
);

void t.test('a request does not start in the async context of the one before it', async (t) => {
  const { rig, seen } = await heldRig(t);
  t.match(await rig.raw(get('stream') + ahead(1)), /streamed[^]*\{"number":1\}$/);
  t.strictSame(seen, [undefined]);
});

void t.test('a connection is not read while many requests wait on it, and no request is lost', async (t) => {
  const { client, settled, done, held, release } = await heldRig(t, { requestsWaiting: 2_500 });
  const { socket, answers } = client();
  socket.write(get('held') + ahead(5_000));
  await held;
  await settled();
  t.strictSame(done, ['held'], 'no request overtakes another');
  release();
  t.strictSame(numbersIn(await answers), [0, ...upTo(5_000)]);
});

void t.test('when too many requests wait in total, only the connection with most of them is closed', async (t) => {
  const { client, settled, done, held, release } = await heldRig(t, { requestsWaiting: 30 });
  const [first, many, few] = [client(), client(), client()];
  first.socket.write(get('held') + ahead(30));
  await held;
  few.socket.write(get('held') + ahead(16));
  await settled();
  many.socket.write(get('held') + ahead(17));
  t.equal(await many.answers, '');
  release();
  t.strictSame(numbersIn(await few.answers), [0, ...upTo(16)]);
  t.strictSame(numbersIn(await first.answers), [0, ...upTo(30)]);
  t.equal(done.filter((what) => what === 'held').length, 3);

  const later = client();
  later.socket.write(ahead(30));
  t.strictSame(numbersIn(await later.answers), upTo(30), 'requests of the closed connection are no longer counted');
});

void t.test('pipelined bodies are read completely, and 100 Continue is sent when the request starts', async (t) => {
  const { rig, client } = await heldRig(t);
  const bodies = ['a', 'b', 'c'].map((letter) => JSON.stringify({ text: letter.repeat(300_000) }));
  const [a = '', b = '', c = ''] = bodies;
  const answers = await rig.raw(post(a) + post(b) + get('numbers?number=1') + post(c, lastOne));
  t.strictSame(
    answers.split(/HTTP\/1\.1 200 OK\r\n/).map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4)),
    ['', a, b, '{"number":1}', c],
  );

  const asking = client();
  const body = '{"text":"later"}';
  const head = post(body, 'Expect: 100-continue', lastOne).slice(0, -body.length);
  let all = '';
  const asked = new Promise<void>((resolve) =>
    asking.socket.on('data', (chunk: string) => {
      all += chunk;
      if (all.includes('100 Continue')) resolve();
    }),
  );
  asking.socket.write(get('numbers?number=2') + head);
  await asked;
  asking.socket.write(body);
  t.match(
    await asking.answers,
    /^HTTP\/1\.1 200 [^]*\{"number":2\}HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 [^]*later"\}$/,
  );
});

void t.test('an upgrade request waits for the requests before it, and its connection works', async (t) => {
  const live = channel({
    id: 'numbersLive',
    summary: 'For a test',
    path: '/ws/numbers',
    access: anyone,
    scope: null,
    follows: [],
    follow: () => 'all',
    message: () => undefined,
  });
  const switching = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
  ];
  const opening = ['GET /ws/numbers HTTP/1.1', 'Host: x', ...switching, '', ''].join('\r\n');
  for (const count of [1, 40]) {
    const { client, settled, held, release } = await heldRig(t, { channels: [{ plugin: 'things', channel: live }] });
    const { socket, answers } = client();
    socket.write(get('held') + ahead(count).replace(`${lastOne}\r\n`, '') + opening);
    await held;
    await settled();
    release();
    // A close frame, which the server answers with its own (RFC 6455, section 5.5.1).
    socket.once('data', function wait(chunk: string) {
      if (chunk.includes('101 Switching')) socket.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
      else socket.once('data', wait);
    });
    const all = await answers;
    t.strictSame(numbersIn(all), [0, ...upTo(count)]);
    t.match(all.slice(all.lastIndexOf('}')), /^\}HTTP\/1\.1 101 Switching Protocols\r\n[^]*\r\n\r\n./);
  }
});

void t.test('requests that wait when the client disconnects or the server stops are not run', async (t) => {
  const gone = await heldRig(t);
  const left = gone.client();
  left.socket.write(get('held') + ahead(3));
  await gone.held;
  left.socket.destroy();
  await gone.aborted;
  gone.release();
  await gone.settled();
  t.strictSame(gone.done, ['held']);

  const stopping = await heldRig(t);
  const { socket, answers } = stopping.client();
  socket.write(get('held') + ahead(3));
  await stopping.held;
  const stopped = stopping.rig.server.stop(5_000);
  await new Promise((resolve) => setTimeout(resolve, 10));
  stopping.release();
  const told = await answers;
  t.strictSame(numbersIn(told), [0], 'the started request is answered');
  t.match(told, /^HTTP\/1\.1 200 [^]*connection: close/i);
  await stopped;
  t.strictSame(stopping.done, ['held']);
});

void t.test('CONNECT is refused after the answers to the requests before it', async (t) => {
  const { rig, release } = await heldRig(t);
  const answers = rig.raw(`${get('held')}${get('numbers?number=1')}CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n`);
  await rig.call('GET', '/api/v1/numbers?number=2');
  release();
  t.strictSame(
    [...(await answers).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status),
    ['200', '200', '405'],
  );
});
