// JSON answers have a size limit, and large ones are serialized in slices.
import Joi from 'joi';
import t from 'tap';
import { jsonText, largestJson } from '#adapters/http/reply/json-text';
import { api } from '#adapters/http/descriptor/route';
import { anyone } from '#core/kernel/access/access';
import { countingTurns } from '#test/support/clients/turns';
import { startRig } from '../rig.ts';

const open = { access: anyone, scope: null, meter: 'none', summary: 'For a test', method: 'GET' } as const;
const rows = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => ({
    index,
    text: '"ü\n'.repeat(length),
    at: new Date(index),
    no: undefined,
  }));

void t.test('serialization in slices equals JSON.stringify, with event loop iterations in between', async (t) => {
  const wide = Object.fromEntries(rows(400, 900).map((row) => [`key "${row.index}"`, row]));
  const bodies: Readonly<Record<string, unknown>> = {
    small: { a: [], b: {}, c: null, d: [undefined, null, 1, 'x'] },
    list: rows(4000, 200),
    'list in an object': { total: 1, none: undefined, items: rows(3000, 300), more: [], nothing: {} },
    'lists in lists': [rows(900, 900), [], rows(10, 5), [rows(900, 900)], {}],
    'few large items': ['x'.repeat(900_000), 1, 'y'.repeat(900_000), 'z'],
    'first large': ['x'.repeat(900_000), [], undefined],
    wide,
    text: 'x'.repeat(2_000_000),
    'a text of pairs': `x${'😀'.repeat(200_000)}`,
    'a text of pairs and halves': `${'😀'.repeat(100_000)}\ud83d${'😀'.repeat(100_000)}\ude00`,
    escapes: { text: '\u0001'.repeat(500_000) },
    'texts of escapes': rows(40, 1).map((row) => ({ ...row, text: '\u0001'.repeat(65_536) })),
    'with its own form': { toJSON: () => ({ own: 'x'.repeat(900_000) }), large: 'x'.repeat(900_000) },
  };
  for (const [name, body] of Object.entries(bodies)) {
    const { result: text, turns } = await countingTurns(async () => jsonText(body));
    t.ok(String(text) === JSON.stringify(body), name);
    if (text.length > 1_000_000) t.ok(turns >= text.length / 600_000, `${name}: ${turns} event loop iterations`);
  }
});

void t.test('an answer over the limit is 422 and logged, however it exceeds the limit', async (t) => {
  let touched = 0;
  const endless = Array.from({ length: 100_000 }, (_, index) => ({
    get text() {
      touched = Math.max(touched, index);
      return 'x'.repeat(1024);
    },
  }));
  const bodies: Readonly<Record<string, () => unknown>> = {
    rows: () => endless,
    text: () => ({ text: 'x'.repeat(largestJson) }),
    escapes: () => ['\u0001'.repeat(largestJson / 5)],
    'three-bytes': () => rows(2000, 3000).map(() => '€'.repeat(3000)),
  };
  const rig = await startRig(
    t,
    Object.entries(bodies).map(([id, body]) =>
      api({ ...open, id, path: `/${id}`, result: Joi.any(), run: () => body() as never }),
    ),
    { validateResponses: false },
  );
  for (const id of Object.keys(bodies)) {
    const answer = await rig.call('GET', `/api/v1/${id}`);
    t.equal(answer.status, 422, id);
    t.strictSame(answer.body, {
      error: 'The answer is too large',
      detail: 'It would have more than 16777216 bytes; ask for a part of it, such as a page or a path',
      error_code: 'unprocessable',
    });
    t.match(rig.logged.at(-1), { level: 'warn', members: { route: `/api/v1/${id}` } });
  }
  t.ok(touched < 17_000, `detected after ${touched} rows of 100,000`);
});

void t.test('a large answer that is circular or too deep is rejected', async (t) => {
  const circle: Record<string, unknown> = { itself: undefined, text: 'x'.repeat(100_000) };
  circle.itself = circle;
  await t.rejects(async () => jsonText(circle), /it refers to itself, or is nested too deeply/);
  let deep: unknown = 'x'.repeat(100_000);
  for (let depth = 0; depth < 2000; depth += 1) deep = [deep];
  await t.rejects(async () => jsonText(deep), /it refers to itself, or is nested too deeply/);
});
