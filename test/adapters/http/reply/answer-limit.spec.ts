// The time limit of answers of external plugins.
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { api, ByteStream, tagged, type RawBody, type Route } from '#adapters/http/descriptor/route';
import { text } from '#adapters/http/descriptor/shape';
import { anyone } from '#core/kernel/access/access';
import { startRig } from '../rig.ts';

const open = { summary: 'A sample', method: 'GET', access: anyone, scope: null } as const;
const forever = (): Promise<never> => new Promise(() => undefined);
const rigOf = (t: Parameters<typeof startRig>[0], ...routes: readonly Route[]) =>
  startRig(t, [], { routes: routes.map((route) => ({ plugin: 'bell', outside: true, route })), answerMs: 100 });

void t.test('a handler that never settles is aborted: the caller gets 503, and the log names the plugin', async (t) => {
  const ended: string[] = [];
  const note = (id: string, signal: AbortSignal): void =>
    signal.addEventListener('abort', () => void ended.push(id), { once: true });
  const rig = await rigOf(
    t,
    api({
      ...open,
      id: 'plain',
      path: '/plain',
      result: text(),
      run({ signal }) {
        note('plain', signal);
        return forever();
      },
    }),
    api({
      ...open,
      id: 'cached',
      path: '/cached',
      result: text(),
      run: ({ signal }) =>
        tagged('a', () => {
          note('cached', signal);
          return forever();
        }),
    }),
  );
  for (const id of ['plain', 'cached']) {
    const answer = await rig.call('GET', `/api/v1/${id}`);
    t.equal(answer.status, 503, id);
    t.match(answer.body, { error: 'The answer took too long', error_code: 'unavailable' });
    t.match(rig.logged.at(-1), {
      level: 'warn',
      members: { plugin: 'bell', stack: `plugin "bell", route "${id}": there was no answer within 0.1 s` },
    });
  }
  t.strictSame(ended, ['plain', 'cached']);
});

void t.test('a late answer is discarded and its source closed', async (t) => {
  const closed = Promise.withResolvers<void>();
  const source = async function* () {
    try {
      yield new Uint8Array(1);
    } finally {
      closed.resolve();
    }
  };
  const rig = await rigOf(
    t,
    api({
      ...open,
      id: 'late',
      path: '/late',
      result: 'bytes',
      async run() {
        await wait(150);
        const bytes = source();
        await bytes.next();
        return new ByteStream(bytes, { type: 'text/plain' });
      },
    }),
  );
  t.equal((await rig.call('GET', '/api/v1/late')).status, 503);
  await closed.promise;
});

void t.test('the time limit does not apply to request and response bodies', async (t) => {
  const slowly = async function* () {
    for (let piece = 0; piece < 4; piece += 1) {
      await wait(50);
      yield new Uint8Array(1);
    }
  };
  const rig = await rigOf(
    t,
    api({
      ...open,
      id: 'going',
      path: '/going',
      result: 'bytes',
      run: () => new ByteStream(slowly(), { type: 'text/plain' }),
    }),
    api({
      ...open,
      id: 'coming',
      method: 'POST',
      path: '/coming',
      body: 'raw',
      result: text(),
      async run(_call, { body }) {
        let length = 0;
        for await (const piece of body as unknown as RawBody) length += piece.byteLength;
        return String(length);
      },
    }),
  );
  const going = await rig.call('GET', '/api/v1/going');
  t.strictSame([going.status, going.bytes.length], [200, 4]);
  const coming = await rig.call('POST', '/api/v1/coming', { body: slowly() });
  t.strictSame([coming.status, coming.body], [200, '4']);
});
