// Validation of bodies, queries and path parameters.
import { gzipSync } from 'node:zlib';
import Joi from 'joi';
import t from 'tap';
import { api, object } from '#adapters/http/descriptor/route';
import { anyone } from '#core/kernel/access/access';
import { Unprocessable } from '#core/kernel/errors';
import { json, startRig } from '../rig.ts';

const open = { access: anyone, scope: null, meter: 'none', summary: 'For a test' } as const;

interface Thing {
  name: string;
  labels?: string[];
  size?: number;
  owner?: { login: string };
}
const thing = object<Thing>({
  name: Joi.string()
    .max(5)
    .pattern(/^[a-z]+$/)
    .required(),
  labels: Joi.array().items(Joi.string()),
  size: Joi.number().integer(),
  owner: object<{ login: string }>({ login: Joi.string().required() }),
});
const anything = Joi.any();
const create = api({
  ...open,
  id: 'create',
  method: 'POST',
  path: '/things',
  body: thing,
  result: anything,
  run: (_, { body }) => body,
});
const optional = api({
  ...open,
  id: 'optional',
  method: 'POST',
  path: '/optional',
  body: object<{ note?: string }>({ note: Joi.string() }),
  result: anything,
  run: (_, { body }) => body,
});
const list = api({
  ...open,
  id: 'list',
  method: 'GET',
  path: '/things',
  query: object<{ page: number; q?: string }>({ page: Joi.number().integer().min(1).default(1), q: Joi.string() }),
  result: anything,
  run: (_, { query }) => ({ ...query }),
});
const branch = api({
  ...open,
  id: 'branch',
  method: 'GET',
  path: '/branches/{branch}/tip',
  params: object<{ branch: string }>({ branch: Joi.string().required() }),
  result: anything,
  run: (_, { params }) => params,
});
const file = api({
  ...open,
  id: 'file',
  method: 'GET',
  path: '/files/{path*}',
  params: object<{ path: string }>({ path: Joi.string().required() }),
  result: anything,
  run: (_, { params }) => params,
});
const numbered = api({
  ...open,
  id: 'numbered',
  method: 'GET',
  path: '/numbered/{number}',
  params: object<{ number: number }>({ number: Joi.number().integer().min(1).required() }),
  result: anything,
  run: (_, { params }) => params,
});

const segments = api({
  ...open,
  id: 'segments',
  method: 'GET',
  path: '/of/{owner}/{name}/things',
  result: anything,
  run: (_, { params }) => ({ ...params }),
});

void t.test('path parameters without a schema are text that is not empty', async (t) => {
  t.equal(segments.params, undefined, 'the router ensures it');
  const rig = await startRig(t, [segments]);
  const found = async (path: string): Promise<unknown> => {
    const { status, text } = await rig.call('GET', `/api/v1/of/${path}`);
    return status === 200 ? JSON.parse(text) : status;
  };
  t.strictSame(await found('a/b/things'), { owner: 'a', name: 'b' });
  t.strictSame(await found('%20/b%2Fc/things'), { owner: ' ', name: 'b/c' });
  for (const path of ['/b/things', 'a//things', '//things']) t.equal(await found(path), 404, path);
});

void t.test('an invalid body is rejected with a detail that names the field', async (t) => {
  const rig = await startRig(t, [create]);
  const cases: readonly (readonly [unknown, string, string])[] = [
    [{}, 'validation_failed', 'Field "name" is required'],
    [{ name: 7 }, 'validation_failed', 'Field "name" must be a string'],
    [{ name: ['a'] }, 'validation_failed', 'Field "name" must be a string'],
    [{ name: '' }, 'validation_failed', 'Field "name" is not allowed to be empty'],
    [{ name: 'abcdef' }, 'validation_failed', 'Field "name" length must be less than or equal to 5 characters long'],
    [{ name: 'S3CRE' }, 'validation_failed', 'Field "name" does not have the required form'],
    [{ name: 'a', labels: ['x', 1] }, 'validation_failed', 'Field "labels[1]" must be a string'],
    [{ name: 'a', owner: {} }, 'validation_failed', 'Field "owner.login" is required'],
    ['{"name":"a","size":1e400}', 'validation_failed', 'Field "size" cannot be infinity'],
    [{ name: 'a', color: 'red' }, 'unknown_field', 'Field "color" is not allowed'],
    [{ name: 'a', owner: { login: 'b', admin: true } }, 'unknown_field', 'Field "owner.admin" is not allowed'],
    ['{"name":"a","constructor":{"prototype":1}}', 'unknown_field', 'Field "constructor" is not allowed'],
    ['{"name":"a","__proto__":{"isAdmin":true}}', 'unknown_field', 'Field "__proto__" is not allowed'],
    [
      '{"name":"a","owner":{"login":"b","\\u005f_proto__":{"isAdmin":true}}}',
      'unknown_field',
      'Field "owner.__proto__" is not allowed',
    ],
    [
      '{"name":"a\\u0000"}',
      'validation_failed',
      'Field "name" must not contain a NUL character or half of a surrogate pair',
    ],
    [
      '{"name":"a","labels":["\\ud800"]}',
      'validation_failed',
      'Field "labels[0]" must not contain a NUL character or half of a surrogate pair',
    ],
    ['[]', 'validation_failed', 'The body must be of type object'],
    ['"text"', 'validation_failed', 'The body must be of type object'],
    ['null', 'validation_failed', 'The body must be of type object'],
    [
      `{"name":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      'validation_failed',
      'The body is nested deeper than 64 levels',
    ],
  ];
  for (const [body, code, detail] of cases) {
    const answer = await rig.call('POST', '/api/v1/things', json(body));
    const label = (typeof body === 'string' ? body : JSON.stringify(body)).slice(0, 60);
    t.equal(answer.status, 400, label);
    t.strictSame(
      { ...(answer.body as object), error: undefined },
      { error: undefined, detail, error_code: code },
      label,
    );
  }
  t.strictSame(
    (await rig.call('POST', '/api/v1/things', json('{"name":"a","name":"b"}'))).body,
    { name: 'b' },
    'the last of two equal members counts',
  );
  t.equal(({} as { isAdmin?: boolean }).isAdmin, undefined, 'no prototype was changed');
  t.equal(rig.logged.length, 0);
});

void t.test('a body that is not JSON is 400 malformed_json, and is not quoted', async (t) => {
  const rig = await startRig(t, [create]);
  for (const body of [
    '{',
    '{"name":"secret"',
    "{'name':1}",
    'nope',
    '{"name":"a"} x',
    Buffer.from([0x7b, 0xff, 0x7d]),
  ]) {
    const answer = await rig.call('POST', '/api/v1/things', { headers: { 'content-type': 'application/json' }, body });
    t.equal(answer.status, 400, String(body));
    t.strictSame(
      answer.body,
      {
        error: 'The body is not valid JSON',
        detail: 'It must be one JSON value in UTF-8',
        error_code: 'malformed_json',
      },
      String(body),
    );
  }
});

void t.test('only JSON content types are parsed as JSON', async (t) => {
  const rig = await startRig(t, [create]);
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/merge-patch+json',
    'application/json; charset=latin1',
    'application/json;version=1; charset=utf-8;',
    'application/vnd.forge+json ; profile="a;b"',
  ]) {
    t.equal(
      (await rig.call('POST', '/api/v1/things', { headers: { 'content-type': type }, body: '{"name":"a"}' })).status,
      200,
      type,
    );
  }
  for (const type of [
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json, text/plain',
    ';;',
    '',
  ]) {
    const answer = await rig.call('POST', '/api/v1/things', {
      headers: type === undefined ? {} : { 'content-type': type },
      body: '{"name":"a"}',
    });
    t.equal(answer.status, 415, String(type));
    t.strictSame(
      answer.body,
      {
        error: 'The body must be JSON',
        detail: 'Send it with Content-Type: application/json',
        error_code: 'unsupported_media_type',
      },
      String(type),
    );
  }
  const encoded = await rig.call('POST', '/api/v1/things', {
    headers: { 'content-type': 'application/json', 'content-encoding': 'br' },
    body: '{}',
  });
  t.equal(encoded.status, 415);
});

void t.test('an absent body is an empty object', async (t) => {
  const rig = await startRig(t, [create, optional]);
  t.strictSame((await rig.call('POST', '/api/v1/optional')).body, {});
  t.strictSame(
    (await rig.call('POST', '/api/v1/optional', { headers: { 'content-length': '0', 'content-type': 'text/plain' } }))
      .body,
    {},
  );
  t.match((await rig.call('POST', '/api/v1/things')).body, {
    error_code: 'validation_failed',
    detail: 'Field "name" is required',
  });
});

void t.test('a body over its limit is 413, by its Content-Length and by its chunks', async (t) => {
  const small = api({
    ...open,
    id: 'small',
    method: 'POST',
    path: '/small',
    maxBytes: 100,
    body: object<{ a?: string }>({ a: Joi.string() }),
    result: anything,
    run: (_, { body }) => body,
  });
  const rig = await startRig(t, [create, small]);
  const tooLarge = (limit: number) => ({
    error: 'The body is too large',
    detail: `The limit is ${limit} bytes`,
    error_code: 'payload_too_large',
  });
  const exact = JSON.stringify({ a: 'x'.repeat(92) });
  t.equal(exact.length, 100);
  t.equal((await rig.call('POST', '/api/v1/small', json(exact))).status, 200, 'a body of exactly the limit passes');
  const over = await rig.call('POST', '/api/v1/small', json({ a: 'x'.repeat(93) }));
  t.equal(over.status, 413);
  t.strictSame(over.body, tooLarge(100));
  async function* chunks(count: number) {
    yield Buffer.from('{"a":"');
    for (let index = 0; index < count; index++) yield Buffer.alloc(65_536, 'x');
    yield Buffer.from('"}');
  }
  const chunked = await rig.call('POST', '/api/v1/small', {
    headers: { 'content-type': 'application/json' },
    body: chunks(40),
  });
  t.equal(chunked.status, 413, 'chunked, without a Content-Length');
  t.strictSame(chunked.body, tooLarge(100));
  const million = await rig.call('POST', '/api/v1/things', json({ name: 'x'.repeat(1024 * 1024) }));
  t.strictSame(million.body, tooLarge(1024 * 1024), 'the default is 1 MiB');
});

void t.test('a gzip body is decompressed within the same limit', async (t) => {
  const rig = await startRig(t, [create]);
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  t.strictSame((await rig.call('POST', '/api/v1/things', { headers, body: gzipSync('{"name":"a"}') })).body, {
    name: 'a',
  });
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, 'x'));
  t.ok(bomb.byteLength < 60_000);
  t.equal((await rig.call('POST', '/api/v1/things', { headers, body: bomb })).status, 413);
  const broken = await rig.call('POST', '/api/v1/things', { headers, body: 'not gzip at all' });
  t.equal(broken.status, 400);
  t.strictSame(broken.body, {
    error: 'The body could not be inflated',
    detail: 'The body is not the gzip that Content-Encoding announces',
    error_code: 'validation_failed',
  });
  const cut = await rig.call('POST', '/api/v1/things', { headers, body: gzipSync('{"name":"a"}').subarray(0, 20) });
  t.equal(cut.status, 400);
});

void t.test('a body of more than 20,000 values is rejected before any of them is validated', async (t) => {
  let checked = 0;
  const counted = Joi.string().custom((value: string) => {
    checked += 1;
    return value;
  });
  const names = api({
    ...open,
    id: 'names',
    method: 'POST',
    path: '/names',
    body: object<{ names: string[] }>({ names: Joi.array().items(counted).max(3).required() }),
    result: anything,
    run: (_, { body }) => body,
  });
  const rig = await startRig(t, [names]);
  const detailOf = async (text: string, headers = {}) => {
    const body = 'content-encoding' in headers ? gzipSync(text) : text;
    const answer = await rig.call('POST', '/api/v1/names', { headers: { ...json('').headers, ...headers }, body });
    t.equal(answer.status, 400, text.slice(0, 20));
    return (answer.body as { detail: string }).detail;
  };
  const tooMany = 'The body has more than 20000 values';
  const words = (count: number): string => `{"names":[${'"a",'.repeat(count - 1)}"a"]}`;
  // The object and the list count too.
  t.equal(await detailOf(words(19_999)), tooMany);
  for (const text of [
    words(250_000),
    `{"names":[${'[],'.repeat(300_000)}[]]}`,
    `{"names":{${'"a":0,'.repeat(150_000)}"a":0}}`,
    `{"names":[${'{"a":{}},'.repeat(100_000)}0]}`,
    `{"names":["\\\\",${'"\\"",'.repeat(100_000)}0]}`,
    '['.repeat(1_000_000),
  ])
    t.equal(await detailOf(text), tooMany, text.slice(0, 30));
  t.equal(await detailOf(words(250_000), { 'content-encoding': 'gzip' }), tooMany);
  t.equal(checked, 0);
  t.match(await detailOf(words(19_998)), 'Field "names" must contain less than or equal to 3 items');
  t.equal(checked, 19_998);
  const commas = { names: ['\\", [{'.repeat(30_000), '[', '{,"\\'.repeat(20_000)] };
  t.strictSame(
    (await rig.call('POST', '/api/v1/names', json(commas))).body,
    commas,
    'texts may contain any characters',
  );
});

void t.test('queries: unknown parameters are ignored, wrong ones named', async (t) => {
  const rig = await startRig(t, [list]);
  t.strictSame((await rig.call('GET', '/api/v1/things?pages=3&__proto__=1&constructor=2&q=a+b%20c')).body, {
    q: 'a b c',
    page: 1,
  });
  t.strictSame((await rig.call('GET', '/api/v1/things?page=2')).body, { page: 2 });
  for (const [query, detail] of [
    ['page=x', 'Query parameter "page" must be a number'],
    ['page=0', 'Query parameter "page" must be greater than or equal to 1'],
    ['page=1&page=2', 'Query parameter "page" must be a number'],
    ['q=a&q=b', 'Query parameter "q" must be a string'],
    ['q=', 'Query parameter "q" is not allowed to be empty'],
    ['q=%00', 'Query parameter "q" must not contain a NUL character'],
  ] as const) {
    const answer = await rig.call('GET', `/api/v1/things?${query}`);
    t.equal(answer.status, 400, query);
    t.strictSame(answer.body, { error: 'The request is not valid', detail, error_code: 'validation_failed' }, query);
  }
});

void t.test('at most 1,000 query parameters are read, also with an absolute URL', async (t) => {
  const rig = await startRig(t, [list, file]);
  const heads = 'Host: forge.example\r\nConnection: close\r\n';
  for (const [origin, head] of [
    ['', heads],
    ['http://forge.example', heads],
    ['HTTPS://forge.example:8443', heads],
    ['http://forge.example', `${heads}Expect: 100-continue\r\n`],
  ] as const) {
    const get = async (path: string): Promise<string> => await rig.raw(`GET ${origin}${path} HTTP/1.1\r\n${head}\r\n`);
    t.match(await get('/api/v1/things?q=a'), '{"q":"a","page":1}', origin);
    t.match(await get(`/api/v1/things?${'x&'.repeat(999)}q=a`), '{"q":"a","page":1}', origin);
    t.match(
      await get(`/api/v1/things?${'x&'.repeat(1000)}q=a`),
      '{"page":1}',
      `${origin}: later parameters are ignored`,
    );
    t.match(await get('/api/v1/files/a/%2E%2e/./c/'), '{"path":"c"}', origin);
  }
  const statusOf = async (target: string): Promise<string> =>
    (await rig.raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).slice(9, 12);
  t.equal(await statusOf('http://forge.example'), '200', 'the index');
  t.equal(await statusOf('http://forge.example?a=b'), '200');
  t.equal(await statusOf('http://[forge/healthz'), '400');
  t.equal(await statusOf('ftp:/healthz'), '400');
});

void t.test('path parameters are decoded once and converted', async (t) => {
  const rig = await startRig(t, [branch, file, numbered]);
  t.strictSame((await rig.call('GET', '/api/v1/branches/feature%2Fone%20two/tip')).body, { branch: 'feature/one two' });
  t.strictSame((await rig.call('GET', '/api/v1/branches/a%252Fb/tip')).body, { branch: 'a%2Fb' }, 'once, not twice');
  t.strictSame((await rig.call('GET', '/api/v1/files/src/%C3%A4%20b.ts')).body, { path: 'src/ä b.ts' });
  t.strictSame(
    (await rig.call('GET', '/api/v1/files/a/%2E%2e/./c/')).body,
    { path: 'c' },
    'dot segments are resolved before routing',
  );
  t.strictSame(
    (await rig.call('GET', '/api/v1/files/a%2F..%2Fc')).body,
    { path: 'a/../c' },
    'encoded dot segments are unchanged',
  );
  t.strictSame((await rig.call('GET', '/api/v1/numbered/12')).body, { number: 12 });
  const wrong = await rig.call('GET', '/api/v1/numbered/abc');
  t.strictSame(wrong.body, {
    error: 'The request is not valid',
    detail: 'Path parameter "number" must be a number',
    error_code: 'validation_failed',
  });
});

void t.test('a default that throws is a fault of its schema; an error that a schema names is returned', async (t) => {
  const route = (id: string, schema: Joi.Schema) =>
    api({
      ...open,
      id,
      method: 'POST',
      path: `/${id}`,
      body: Joi.object({ note: schema }),
      result: anything,
      run: (_, { body }) => body,
    });
  const rig = await startRig(t, [
    route(
      'defaulted',
      Joi.string().default(() => {
        throw new Error('no bell');
      }),
    ),
    route('worded', Joi.string().error(new Error('A note is a text'))),
    route('typed', Joi.string().error(new Unprocessable('A note is a text'))),
  ]);
  const defaulted = await rig.call('POST', '/api/v1/defaulted', json({}));
  t.match(defaulted, { status: 500, body: { error_code: 'internal' } });
  t.match(rig.logged.at(-1), {
    level: 'error',
    members: { plugin: 'things', stack: /"note" threw an error .* no bell/s },
  });
  t.match(await rig.call('POST', '/api/v1/worded', json({ note: 1 })), {
    status: 400,
    body: { error: 'The request is not valid', detail: 'A note is a text' },
  });
  t.match(await rig.call('POST', '/api/v1/typed', json({ note: 1 })), {
    status: 422,
    body: { error: 'A note is a text' },
  });
});
