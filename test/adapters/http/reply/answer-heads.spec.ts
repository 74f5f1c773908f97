// Invalid response headers from a plugin in plain JavaScript: a 500 with the reason in the log.
import Joi from 'joi';
import t from 'tap';
import { api, reply, tagged, type ReplyOptions } from '#adapters/http/descriptor/route';
import { anyone } from '#core/kernel/access/access';
import { startRig } from '../rig.ts';

const open = { access: anyone, scope: null, meter: 'none', summary: 'For a test', method: 'GET' } as const;
const result = Joi.object<{ a: unknown }>({ a: Joi.any() });
const circle = (): { a: unknown } => {
  const body: { a: unknown } = { a: undefined };
  body.a = body;
  return body;
};
const tag = 'the tag of an answer must be one or more characters of ASCII, without blanks and quotes';
const ofTheServer = (name: string): string => `the header "${name}" of an answer is the server's to set`;
const status = (id: string): string => `an answer of the route "${id}" has a status that is none from 200 to 599`;
const headed = (options: ReplyOptions) => () => reply({ a: 1 }, options);

/** Route → its handler, and the reason in the log. */
const wrong: Readonly<Record<string, readonly [run: () => never, says: string]>> = Object.fromEntries(
  Object.entries({
    tagWithBreak: [headed({ etag: 'a\nb' }), tag],
    tagWithQuote: [headed({ etag: 'a"b' }), tag],
    numberedTag: [headed({ etag: 1 as unknown as string }), tag],
    emptyTag: [headed({ etag: '' }), tag],
    taggedWithBreak: [() => tagged('a\nb', async () => ({ a: 1 })), tag],
    taggedWithNothing: [() => tagged(undefined as unknown as string, async () => ({ a: 1 })), tag],
    length: [headed({ headers: { 'Content-Length': '3' } }), ofTheServer('Content-Length')],
    coding: [headed({ headers: { 'transfer-encoding': 'chunked' } }), ofTheServer('transfer-encoding')],
    connection: [headed({ headers: { connection: 'close' } }), ofTheServer('connection')],
    informational: [headed({ status: 100 }), status('informational')],
    switching: [headed({ status: 101 }), status('switching')],
    none: [headed({ status: 0 }), status('none')],
    worded: [headed({ status: 'ok' as unknown as number }), status('worded')],
    high: [headed({ status: 600 }), status('high')],
    broken: [headed({ status: 200.5 }), status('broken')],
    circle: [circle, 'the answer is no JSON: it refers to itself, or is nested too deeply'],
  }),
) as never;

void t.test('a response that cannot be sent is a 500 with the request id, and the log has the reason', async (t) => {
  const rig = await startRig(
    t,
    Object.entries(wrong).map(([id, [run]]) => api({ ...open, id, path: `/${id}`, result, run })),
  );
  for (const [id, [, says]] of Object.entries(wrong)) {
    const answer = await rig.call('GET', `/api/v1/${id}`);
    t.match([answer.status, answer.body], [500, { error_code: 'internal', detail: /^Quote the request id / }], id);
    const stack = String(rig.logged.at(-1)?.members['stack']);
    t.ok(stack.startsWith(`Error: ${says}\n`), `${id}: ${stack.split('\n', 1).join()}`);
  }
  t.equal(rig.logged.length, Object.keys(wrong).length, 'one line each');
});
