// Entity tags, and the response cache that is keyed by them.
import type { OutgoingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import Joi from 'joi';
import t from 'tap';
import { entityTag, matches } from '#adapters/http/reply/json-text';
import { api, ByteStream, object, reply, tagged } from '#adapters/http/descriptor/route';
import { anyone } from '#core/kernel/access/access';
import type { Call } from '#core/kernel/caller';
import { Conflict } from '#core/kernel/errors';
import { basic, bearer, startRig } from '../rig.ts';

const open = { access: anyone, scope: null, meter: 'none', summary: 'For a test' } as const;
const count = object<{ bytes: number }>({ bytes: Joi.number().required() });

async function* chunks(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('a');
  yield Buffer.from('b');
}

void t.test('entity tags', async (t) => {
  const rig = await startRig(t, [
    api({
      ...open,
      id: 'tagged',
      method: 'GET',
      path: '/tagged',
      result: count,
      run: () => reply({ bytes: 1 }, { etag: 'v1', headers: { 'cache-control': 'private, max-age=5' } }),
    }),
    api({
      ...open,
      id: 'early',
      method: 'GET',
      path: '/early',
      result: count,
      run: () => tagged('v1', async () => ({ bytes: 1 })),
    }),
    api({
      ...open,
      id: 'posted',
      method: 'POST',
      path: '/posted',
      result: count,
      run: () => reply({ bytes: 1 }, { etag: 'v1' }),
    }),
    api({
      ...open,
      id: 'large',
      method: 'GET',
      path: '/large',
      result: Joi.array(),
      run: () =>
        reply(
          Array.from({ length: 500 }, () => 'word'),
          { etag: 'v1' },
        ),
    }),
  ]);
  const fresh = await rig.call('GET', '/api/v1/tagged');
  t.strictSame([fresh.status, fresh.headers.etag, fresh.headers['cache-control']], [200, '"v1"', 'private, max-age=5']);
  for (const path of ['tagged', 'early']) {
    for (const method of ['GET', 'HEAD']) {
      for (const header of ['"v1"', 'W/"v1"', '"v0", "v1"', '"v0",W/"v1"', '*', '"v1-gzip"']) {
        const answer = await rig.call(method, `/api/v1/${path}`, { headers: { 'if-none-match': header } });
        t.strictSame(
          [
            answer.status,
            answer.headers.etag,
            answer.text,
            answer.headers['content-length'],
            answer.headers['cache-control'],
          ],
          [304, '"v1"', '', undefined, path === 'tagged' ? 'private, max-age=5' : 'no-store'],
          `${method} ${path} ${header}`,
        );
      }
    }
    for (const header of ['"v2"', 'v1', '"V1"', '""', '"v1'])
      t.equal((await rig.call('GET', `/api/v1/${path}`, { headers: { 'if-none-match': header } })).status, 200, header);
  }
  t.equal(
    (await rig.call('POST', '/api/v1/posted', { headers: { 'if-none-match': '"v1"' } })).status,
    200,
    'a state change is never answered with 304',
  );
  const large = await rig.call('GET', '/api/v1/large', { headers: { 'accept-encoding': 'gzip' } });
  t.equal(large.headers.etag, '"v1-gzip"', 'each content encoding has its own tag');
  t.equal(
    (await rig.call('GET', '/api/v1/large', { headers: { 'accept-encoding': 'gzip', 'if-none-match': '"v1-gzip"' } }))
      .status,
    304,
  );
  t.equal(matches(undefined, 'v1'), false);
  t.equal(matches(' * ', 'v1'), true);
  t.equal(matches('"a-gzip"', 'a-gzip'), true, 'a tag may itself end in -gzip');
});

void t.test('a tag that is a digest depends on the text that is sent', async (t) => {
  let bytes = 1;
  const words = Array.from({ length: 30_000 }, () => 'word');
  const digested = { ...open, method: 'GET' } as const;
  const rig = await startRig(t, [
    api({
      ...digested,
      id: 'short',
      path: '/short',
      result: count,
      run: () => reply({ bytes }, { etag: true, headers: { 'cache-control': 'private' } }),
    }),
    api({ ...digested, id: 'long', path: '/long', result: Joi.array(), run: () => reply(words, { etag: true }) }),
    api({
      ...digested,
      id: 'made',
      path: '/made',
      success: 201,
      result: count,
      run: () => reply({ bytes }, { etag: true }),
    }),
    api({
      ...digested,
      id: 'bytes',
      path: '/bytes',
      result: 'bytes',
      run: () => reply(new ByteStream(chunks(), { type: 'text/plain' }), { etag: true }),
    }),
  ]);
  const first = await rig.call('GET', '/api/v1/short');
  const { etag } = first.headers;
  t.equal(etag, `"${entityTag({ bytes: 1 })}"`);
  const again = await rig.call('GET', '/api/v1/short', { headers: { 'if-none-match': String(etag) } });
  t.strictSame(
    [again.status, again.headers.etag, again.headers['cache-control'], again.text],
    [304, etag, 'private', ''],
  );
  bytes = 2;
  const changed = await rig.call('GET', '/api/v1/short', { headers: { 'if-none-match': String(etag) } });
  t.strictSame([changed.status, changed.text], [200, '{"bytes":2}']);
  t.not(changed.headers.etag, etag);
  const long = await rig.call('GET', '/api/v1/long');
  t.equal(long.headers.etag, `"${entityTag(words)}"`);
  t.strictSame(JSON.parse(long.text), words);
  const made = { headers: { 'if-none-match': `"${entityTag({ bytes })}"` } };
  t.equal((await rig.call('GET', '/api/v1/made', made)).status, 201, 'only a 200 becomes a 304');
  t.equal((await rig.call('GET', '/api/v1/bytes')).status, 500, 'bytes have no digest before they are sent');
});

void t.test('a body with a tag is computed only if neither the client nor the cache has it', async (t) => {
  let made = 0;
  let tag = 'v1';
  const making = async <T>(body: T): Promise<T> => {
    made += 1;
    return body;
  };
  const words = Array.from({ length: 500 }, () => 'word');
  const query = object<{ a: string }>({ a: Joi.string().default('') });
  const rig = await startRig(t, [
    api({
      ...open,
      id: 'list',
      method: 'GET',
      path: '/list',
      query,
      result: Joi.array(),
      run: (_, { query: { a } }) => tagged(tag, () => making([...words, a]), { 'cache-control': 'private' }),
    }),
    api({
      ...open,
      id: 'later',
      method: 'GET',
      path: '/later',
      result: count,
      run: () =>
        tagged(tag, () => making(reply({ bytes: made }, { provisional: true })), { 'cache-control': 'private' }),
    }),
    api({
      ...open,
      id: 'raw',
      method: 'GET',
      path: '/raw',
      result: 'bytes',
      run: () =>
        tagged(tag, () =>
          making(reply(new ByteStream(chunks(), { type: 'text/plain' }), { headers: { 'x-more': 'yes' } })),
        ),
    }),
    api({
      ...open,
      id: 'wrong',
      method: 'GET',
      path: '/wrong',
      result: count,
      run: () => tagged(tag, () => making({ bytes: 'none' } as never)),
    }),
    api({
      ...open,
      id: 'refused',
      method: 'GET',
      path: '/refused',
      result: count,
      run: () => tagged(tag, () => Promise.reject(new Conflict('Not now'))),
    }),
  ]);
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const { status, headers: sent, text, bytes } = await rig.call('GET', `/api/v1/${path}`, { headers });
    return {
      status,
      text,
      bytes,
      etag: sent.etag,
      cache: sent['cache-control'],
      type: sent['content-type'],
      encoding: sent['content-encoding'],
      length: sent['content-length'],
      vary: sent.vary,
      more: sent['x-more'],
    };
  };

  const first = await get('list');
  t.strictSame(
    [first.status, JSON.parse(first.text), first.etag, first.cache, first.type, made],
    [200, [...words, ''], '"v1"', 'private', 'application/json; charset=utf-8', 1],
  );
  t.strictSame(await get('list'), first, 'the second body equals the first');
  t.equal(made, 1);
  t.strictSame((await rig.call('HEAD', '/api/v1/list')).headers['content-length'], first.length);
  t.equal(made, 1);

  const zipped = await get('list', { 'accept-encoding': 'gzip' });
  t.strictSame(
    [zipped.status, gunzipSync(zipped.bytes).toString(), zipped.etag, zipped.encoding, zipped.vary, zipped.length],
    [200, first.text, '"v1-gzip"', 'gzip', 'accept-encoding', String(zipped.bytes.byteLength)],
  );
  t.strictSame(await get('list', { 'accept-encoding': 'gzip' }), zipped);
  t.strictSame(
    [gunzipSync((await get('list?a=2', { 'accept-encoding': 'gzip' })).bytes).toString(), made],
    [JSON.stringify([...words, '2']), 2],
    'another URL has another body',
  );
  t.strictSame((await get('list?a=2', { 'accept-encoding': 'deflate' })).encoding, 'deflate');
  t.equal(made, 2);
  tag = 'v2';
  t.strictSame([(await get('list')).etag, made], ['"v2"', 3], 'another tag has another body');

  made = 0;
  t.strictSame(
    [(await get('later')).text, (await get('later')).text],
    ['{"bytes":0}', '{"bytes":1}'],
    'a provisional body is not cached',
  );
  const { etag, cache } = await get('later');
  t.strictSame([etag, cache], [undefined, 'private'], 'and has no tag');

  made = 0;
  for (let round = 1; round <= 2; round += 1) {
    const raw = await get('raw');
    t.strictSame([raw.text, raw.etag, raw.more, made], ['ab', '"v2"', 'yes', round], 'bytes are not cached');
  }
  t.strictSame([(await get('raw', { 'if-none-match': '"v2"' })).status, made], [304, 2]);

  for (let round = 0; round < 2; round += 1)
    t.strictSame([(await get('wrong')).status, (await get('refused')).status], [500, 409], 'failures are not cached');
});

void t.test('a cached body is only for its caller, unless the route declares sameForAll', async (t) => {
  let made = 0;
  const words = Array.from({ length: 500 }, () => 'word');
  const viewer = { ...open, method: 'GET', result: Joi.array() } as const;
  /** A handler whose body depends on the caller although its tag does not. */
  const forgetful = async ({ caller }: Call): Promise<string[]> => {
    made += 1;
    return [...words, caller.kind === 'user' ? `${caller.username} by ${caller.credential.kind}` : caller.kind];
  };
  const rig = await startRig(t, [
    api({ ...viewer, id: 'own', path: '/own', run: (call) => tagged('v1', () => forgetful(call)) }),
    api({
      ...viewer,
      id: 'same',
      path: '/same',
      sameForAll: true,
      run: (call) => tagged('v1', () => forgetful(call)),
    }),
  ]);
  const callers: readonly (readonly [string, OutgoingHttpHeaders])[] = [
    ['alice by session', bearer('good')],
    ['bob by session', bearer('other')],
    ['anonymous', {}],
    ['alice by pat', bearer('pat-read')],
    ['root by session', bearer('root')],
  ];
  const last = async (path: string, headers: OutgoingHttpHeaders): Promise<unknown> => {
    const { status, bytes, headers: sent } = await rig.call('GET', `/api/v1/${path}`, { headers });
    t.strictSame([status, sent.etag?.replace('-gzip', '')], [200, '"v1"']);
    const body: unknown = JSON.parse(String(sent['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes));
    return Array.isArray(body) ? body.at(-1) : body;
  };
  for (let round = 0; round < 2; round += 1)
    for (const [who, headers] of callers)
      for (const encoding of ['identity', 'gzip'])
        t.equal(await last('own', { ...headers, 'accept-encoding': encoding }), who, `${who} gets their own body`);
  t.equal(made, callers.length, 'each is computed once');

  t.equal(await last('own', basic('alice', 'good')), 'alice by session', 'whatever the form of the credential');
  t.equal(made, callers.length);

  made = 0;
  for (const [, headers] of callers)
    for (const encoding of ['identity', 'gzip'])
      t.equal(await last('same', { ...headers, 'accept-encoding': encoding }), 'alice by session');
  t.equal(made, 1, 'with sameForAll one body is shared');

  made = 0;
  for (const [who, headers] of callers) {
    const answer = await rig.call('GET', '/api/v1/own', { headers: { ...headers, 'if-none-match': '"v1"' } });
    t.strictSame([answer.status, answer.text], [304, ''], `${who} gets 304 for a known tag`);
  }
  t.equal(made, 0);
});
