// Answers of external plugins: an answer that breaks its schema is not sent, and undeclared members are removed.
import t from 'tap';
import { api, ByteStream, reply, tagged } from '#adapters/http/descriptor/route';
import { flag, list, maybe, shape, text } from '#adapters/http/descriptor/shape';
import { anyone } from '#core/kernel/access/access';
import { Conflict } from '#core/kernel/errors';
import { startRig, type Rig } from '../rig.ts';

const open = { summary: 'A sample', method: 'GET', access: anyone, scope: null } as const;
const answerJson = shape({
  ok: flag(),
  note: maybe(text()),
  inner: maybe(shape({ items: list(shape({ n: text() })) })),
});

type Handler = () => unknown;

/** A plugin in plain JavaScript, whose answers are not checked by the compiler. */
async function outside(
  t: Parameters<typeof startRig>[0],
  handlers: Readonly<Record<string, Handler>>,
  result: unknown = answerJson,
  more: Partial<Parameters<typeof startRig>[2]> = {},
): Promise<Rig> {
  const routes = Object.entries(handlers).map(([id, run]) => ({
    plugin: 'bell',
    outside: true,
    route: api({
      ...open,
      id,
      path: `/${id}`,
      result: result as 'empty',
      errorMembers: shape({ bell: maybe(text()) }),
      run: run as () => undefined,
    }),
  }));
  return startRig(t, [], { routes, validateResponses: false, ...more });
}

const get = (rig: Rig, id: string) => rig.call('GET', `/api/v1/${id}`);

void t.test('an answer that breaks its schema is a 500, and the log names plugin, route and member', async (t) => {
  const source = (async function* () {
    yield new Uint8Array([1]);
  })();
  const rig = await outside(t, {
    perhaps: () => ({ ok: 'perhaps', secret: 'hunter2' }),
    deep: () => ({ ok: true, inner: { items: [{ n: 'a' }, { n: 7 }] } }),
    nothing: () => undefined,
    code: () => () => 1,
    cached: () => tagged('a', async () => ({ ok: 1 })),
    bytes: () => new ByteStream(source, { type: 'text/plain' }),
    created: () => reply({ secret: 'hunter2' }, { status: 201 }),
  });
  const reasons: Readonly<Record<string, RegExp>> = {
    perhaps: /"ok" must be a boolean/,
    deep: /"inner\.items\[1\]\.n" must be a string/,
    nothing: /it has no body/,
    code: /it is no JSON/,
    cached: /"ok" must be a boolean/,
    bytes: /it is bytes, which were not declared/,
    created: /"ok" is required/,
  };
  for (const [id, reason] of Object.entries(reasons)) {
    const answer = await get(rig, id);
    t.equal(answer.status, 500, id);
    t.match(answer.body, { error_code: 'internal' }, id);
    t.notMatch(answer.text, /hunter2|perhaps/, id);
    const line = rig.logged.at(-1);
    t.match(line, { level: 'error', members: { plugin: 'bell', route: `/api/v1/${id}`, stack: reason } }, id);
    t.match(line?.members['stack'], new RegExp(`plugin "bell", route "${id}": the answer does not fit its schema`));
    t.notMatch(JSON.stringify(line), /hunter2/, 'the log has no value of the answer');
  }
});

void t.test('undeclared members are removed at any depth', async (t) => {
  const rig = await outside(t, {
    plain: () => ({ ok: true, secret: 'hunter2', inner: { items: [{ n: 'a', secret: 'hunter2' }], secret: 1 } }),
    dated: () => ({ ok: true, note: new Date(0), secret: { toJSON: () => 'hunter2' } }),
    cached: () => tagged('a', async () => ({ ok: true, secret: 'hunter2' })),
  });
  t.strictSame((await get(rig, 'plain')).body, { ok: true, inner: { items: [{ n: 'a' }] } });
  t.strictSame(
    (await get(rig, 'dated')).body,
    { ok: true, note: '1970-01-01T00:00:00.000Z' },
    'serialized as by JSON.stringify',
  );
  for (const _ of ['made', 'from the cache']) t.strictSame((await get(rig, 'cached')).body, { ok: true });
});

void t.test(
  'an error response keeps `error`, `error_code` and the members that its route declares, and no others',
  async (t) => {
    const rig = await outside(t, {
      thrown: () => {
        throw new Conflict('It rings already', { body: { bell: 'big', secret: 'hunter2' } });
      },
      replied: () => reply({ error: 'Tea', secret: 'hunter2' }, { status: 418 }),
      bare: () => reply({ secret: 'hunter2' }, { status: 400 }),
    });
    const thrown = await get(rig, 'thrown');
    t.strictSame(
      [thrown.status, thrown.body],
      [409, { error: 'It rings already', error_code: 'conflict', bell: 'big' }],
    );
    const replied = await get(rig, 'replied');
    t.strictSame([replied.status, replied.body], [418, { error: 'Tea' }]);
    t.equal((await get(rig, 'bare')).status, 500, 'an error response without the member `error` becomes a 500');
  },
);

void t.test('a route that declares an empty body, or bytes, responds 500 if its handler returns JSON', async (t) => {
  const handlers = { plain: () => ({ secret: 'hunter2' }), none: () => undefined };
  const empty = await outside(t, handlers, 'empty');
  t.equal((await get(empty, 'plain')).status, 500);
  t.equal((await get(empty, 'none')).status, 204);
  const bytes = await outside(t, handlers, 'bytes');
  t.equal((await get(bytes, 'plain')).status, 500);
  t.match(bytes.logged.at(-1)?.members['stack'], /it is JSON, and "bytes" was declared/);
});

void t.test('an answer too large to validate is rejected with 422', async (t) => {
  const itemsOf = (count: number, n: string) => ({
    ok: true,
    inner: { items: Array.from({ length: count }, () => ({ n })) },
  });
  const rig = await outside(t, {
    most: () => itemsOf(24_000, 'a'),
    many: () => itemsOf(25_000, 'a'),
    large: () => itemsOf(1, 'a'.repeat(2 * 1024 ** 2)),
  });
  t.equal((await get(rig, 'most')).status, 200);
  for (const [id, detail] of [
    ['many', /more than 50000 values/],
    ['large', /more than 2097152 bytes/],
  ] as const)
    t.match(await get(rig, id), { status: 422, body: { error: 'The answer is too large', detail } }, id);
});
