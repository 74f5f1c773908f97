// No header text takes more than linear time, in our code or in a library.
import { globSync, readFileSync } from 'node:fs';
import Joi from 'joi';
import t from 'tap';
import { api, reply } from '#adapters/http/descriptor/route';
import { anyone } from '#core/kernel/access/access';
import { projectFiles } from '../../../../tools/project-files.ts';
import { startRig } from '../rig.ts';

const open = { access: anyone, scope: null, meter: 'none', summary: 'For a test' } as const;
const words = Array.from({ length: 500 }, () => 'word');

/** Reads of headers in sources: `headers['if-none-match']`, `headers.origin`. */
const mention = /\bheaders(?:\.|\[')([a-z][a-z0-9-]*)\b/g;
const product = /^(?:core|adapters|plugins|host)\//;
/** Framing headers, which only Node reads; it rejects the texts below. */
const framing = new Set(['content-length', 'transfer-encoding', 'connection', 'upgrade', 'expect']);

const length = 15_000;
const repeated = [
  ' ',
  '\t',
  ',',
  ', ',
  ' ,',
  '"',
  '",',
  ';',
  '; ',
  ';=',
  '=',
  ':1',
  '0',
  'a',
  'a,',
  'a ',
  '/',
  '.',
  '-',
  '\\"',
];
const texts = repeated.flatMap((piece) => {
  const many = piece.repeat(length / piece.length);
  return [`"a"${many}x`, `a/b;${many}x`];
});

/** CPU milliseconds, the minimum of three attempts. Quadratic time for such a text is 100 ms or more. */
const bound = 40;

void t.test('15 kB of the most expensive texts in any header that is read take no more time than others', async (t) => {
  const sources = [
    ...projectFiles(['ts']).filter(({ path }) => product.test(path)),
    ...globSync('node_modules/@hapi/*/lib/**/*.js').map((path) => ({ path, text: readFileSync(path, 'utf8') })),
    ...globSync('node_modules/ws/lib/*.js').map((path) => ({ path, text: readFileSync(path, 'utf8') })),
  ];
  const read = new Set(sources.flatMap(({ text }) => [...text.matchAll(mention)].map(([, name = '']) => name)));
  for (const name of ['accept-encoding', 'cookie', 'if-none-match', 'origin', 'x-forwarded-for'])
    t.ok(read.has(name), `finds that ${name} is read`);
  const names = [...read, 'if-match', 'range', 'forwarded', 'x-forwarded-host', 'x-forwarded-proto'].filter(
    (name) => !framing.has(name),
  );

  const rig = await startRig(
    t,
    [
      api({
        ...open,
        id: 'tagged',
        method: 'GET',
        path: '/tagged',
        cookies: true,
        result: Joi.array(),
        run: () => reply(words, { etag: 'v1', headers: { 'last-modified': 'Sat, 21 Nov 2026 10:00:00 GMT' } }),
      }),
      api({
        ...open,
        id: 'posted',
        method: 'POST',
        path: '/posted',
        body: Joi.object(),
        result: Joi.any(),
        run: () => 1,
      }),
    ],
    { trustedProxies: ['127.0.0.1'] },
  );
  const cost = async (method: string, path: string, name: string, text: string): Promise<number> => {
    const before = process.cpuUsage();
    await rig.call(method, `/api/v1/${path}`, {
      headers: { ...(method === 'POST' && { 'content-type': 'application/json' }), [name]: text },
      ...(method === 'POST' && { body: '{}' }),
    });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const slow: string[] = [];
  let tried = 0;
  for (const name of new Set(names))
    for (const text of texts)
      for (const [method, path] of [
        ['GET', 'tagged'],
        ['POST', 'posted'],
      ] as const) {
        tried += 1;
        let least = Infinity;
        for (let attempt = 0; attempt < 3 && least > bound; attempt += 1)
          least = Math.min(least, await cost(method, path, name, text));
        if (least > bound) slow.push(`${method} with ${name}: ${JSON.stringify(text.slice(0, 8))}… takes ${least} ms`);
      }
  t.strictSame(slow, [], `of ${tried} requests with ${names.length} headers`);
});
