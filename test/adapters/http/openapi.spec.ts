// The OpenAPI document, the statuses derived from a descriptor, and the server's own routes.
import type { OutgoingHttpHeaders } from 'node:http';
import { Validator } from '@seriousme/openapi-schema-validator';
import Joi from 'joi';
import t from 'tap';
import { schemaRegistry } from '#adapters/http/routes/json-schema';
import { api, object, type Route } from '#adapters/http/descriptor/route';
import { impliedStatuses } from '#adapters/http/descriptor/statuses';
import { admin, anyone, changes, reads, session, signedIn, superAdmin } from '#core/kernel/access/access';
import type { Budget } from '#core/kernel/rate';
import { countingTurns } from '#test/support/clients/turns';
import { bearer, counter, startRig } from './rig.ts';

interface User {
  id: string;
  bio: string | null;
  role: 'owner' | 'member' | null;
  page?: number;
}
const user = object<User>({
  id: Joi.string().uuid().required(),
  bio: Joi.string().allow(null).required(),
  role: Joi.string().valid('owner', 'member').allow(null).required(),
  page: Joi.number().integer().default(1),
}).meta({ id: 'User' });
const name = Joi.string().required();
const nothing = { summary: 'For a test', run: () => undefined as never } as const;

const routes = [
  api({
    ...nothing,
    id: 'userRead',
    method: 'GET',
    path: '/users/{name}',
    access: anyone,
    scope: null,
    meter: 'api.read',
    params: object<{ name: string }>({ name }),
    result: user,
    statuses: [404],
  }),
  api({
    ...nothing,
    id: 'userList',
    method: 'GET',
    path: '/users',
    access: admin('admin:users'),
    scope: null,
    meter: 'api.read',
    query: Joi.object({
      page: Joi.number().integer().min(1).default(1),
      q: Joi.string().required().description('Text to find'),
      state: Joi.string().valid('a', 'b'),
      any: Joi.any(),
    }),
    result: Joi.array().items(user),
  }),
  api({
    ...nothing,
    id: 'thingWrite',
    method: 'PUT',
    path: '/things/{name}/files/{path*}',
    access: changes('thing', 'thing.write'),
    scope: 'thing:write',
    meter: 'api.write',
    params: object<{ name: string; path: string }>({ name, path: name }),
    body: object<{ user: User; owner?: User | null; note?: string }>({
      user: user.required(),
      owner: user.allow(null).description('Who owns it'),
      note: Joi.string(),
    }),
    success: 201,
    result: object<{ user: User }>({ user: user.required() }),
    statuses: [409],
    errorMembers: Joi.object({ existing_repo_id: Joi.string() }),
  }),
  api({
    ...nothing,
    id: 'raw',
    method: 'POST',
    path: '/raw',
    access: signedIn,
    scope: null,
    meter: 'api.write',
    body: 'raw',
    result: 'bytes',
    cookies: true,
  }),
  api({
    ...nothing,
    id: 'hidden',
    method: 'POST',
    path: '/{owner}/{repo}.git/git-upload-pack',
    mount: 'root',
    access: anyone,
    scope: null,
    meter: 'api.read',
    body: 'raw',
    result: 'bytes',
    hidden: true,
  }),
  api({
    ...nothing,
    id: 'lens',
    method: 'GET',
    path: '/lens',
    access: anyone,
    scope: null,
    meter: 'none',
    requires: ['Lens'],
    result: 'empty',
  }),
  api({
    ...nothing,
    id: 'shutter',
    method: 'DELETE',
    path: '/shutter',
    access: anyone,
    scope: null,
    meter: 'none',
    requires: ['Shutter'],
    success: 204,
    result: 'empty',
  }),
];

interface Operation {
  operationId: string;
  tags: string[];
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: object }[];
  requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
  security: object[];
  [extension: `x-${string}`]: unknown;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Record<string, unknown>>; securitySchemes: object };
  tags: object[];
}

void t.test('the document is made once, cached, 304 for a known tag, and metered', async (t) => {
  const rateCounter = counter();
  const budget: Budget = { limit: 100, windowSeconds: 60, window: 'fixed' };
  const rig = await startRig(t, routes, {
    validateResponses: false,
    rateCounter,
    budgets: { budget: async () => budget },
  });
  const document = (await rig.server.openapi()) as Document;
  let serialized = 0;
  Object.assign(document, {
    toJSON() {
      serialized += 1;
      return { openapi: document.openapi };
    },
  });
  const get = (query: string, headers: OutgoingHttpHeaders = {}) =>
    rig.call('GET', `/api/v1/openapi.json${query}`, { headers: { 'accept-encoding': 'gzip', ...headers } });
  const first = await get('');
  const { etag = '' } = first.headers;
  const made = serialized;
  const others = [];
  for (let time = 0; time < 20; time += 1) others.push(await get(`?${time}=${time}`, bearer('good')));
  t.equal(serialized, made, 'unknown parameters and other callers use the same document');
  t.ok(others.every(({ bytes, status }) => status === 200 && bytes.equals(first.bytes)));
  t.equal((await get('', { 'if-none-match': etag })).status, 304);
  t.equal(serialized, made);
  t.strictSame(
    [...rateCounter.taken],
    [
      ['api.read:address:127.0.0.1', 2],
      ['api.read:user:id-alice', 20],
    ],
  );
  await rig.call('GET', '/');
  for (const path of ['/healthz', '/readyz']) await rig.call('GET', path);
  t.equal(rateCounter.taken.get('api.read:address:127.0.0.1'), 3, 'health checks are not metered');
});

void t.test('the document is made once for concurrent requests, with event loop iterations in between', async (t) => {
  const many = Array.from({ length: 50 }, (_, index) =>
    api({
      ...nothing,
      id: `read${index}`,
      method: 'GET',
      path: `/read${index}`,
      access: anyone,
      scope: null,
      result: index === 0 ? Joi.valid(1n) : object<{ user: User }>({ user: user.required() }).id(`Read${index}`),
    }),
  );
  const rig = await startRig(t, many);
  const { result: documents, turns } = await countingTurns(() =>
    Promise.all([rig.server.openapi(), rig.server.openapi(), rig.server.openapi()]),
  );
  t.ok(turns >= 100, `${turns} event loop iterations: for the answers and the input of each operation`);
  t.equal(new Set(documents).size, 1);
  t.equal(rig.logged.length, 1, 'an operation that cannot be shown is logged once');
});

void t.test('a document that could not be made is made at the next request', async (t) => {
  let broken = true;
  const rig = await startRig(t, routes, {
    absentPort: () => {
      if (broken) throw new Error('not now');
      return undefined;
    },
  });
  const get = async () => (await rig.call('GET', '/api/v1/openapi.json')).status;
  t.strictSame(await Promise.all([get(), get()]), [500, 500]);
  broken = false;
  t.strictSame(await Promise.all([get(), get()]), [200, 200]);
});

void t.test('the document is valid OpenAPI 3.1 and matches the descriptors', async (t) => {
  const rig = await startRig(t, routes, {
    validateResponses: true,
    absentPort: (port) =>
      port === 'Lens' ? { component: 'lens', absent: 'hidden' } : { component: 'shutter', absent: 'unavailable' },
  });
  const answer = await rig.call('GET', '/api/v1/openapi.json');
  t.equal(answer.status, 200);
  t.strictSame(answer.body, JSON.parse(JSON.stringify(await rig.server.openapi())));
  const checked = await new Validator().validate(structuredClone(answer.body) as Record<string, unknown>);
  t.strictSame(checked.errors ?? [], []);
  t.equal(checked.valid, true);

  const document = answer.body as Document;
  t.strictSame(Object.keys(document.paths), [
    '/',
    '/healthz',
    '/readyz',
    '/api/v1/users/{name}',
    '/api/v1/users',
    '/api/v1/things/{name}/files/{path}',
    '/api/v1/raw',
    '/api/v1/shutter',
  ]);
  t.strictSame(document.tags, [{ name: 'system' }, { name: 'things' }]);
  const operation = (path: string, method: string): Operation => {
    const found = document.paths[path]?.[method];
    if (found === undefined) throw new Error(`no ${method} ${path}`);
    return found;
  };
  const read = operation('/api/v1/users/{name}', 'get');
  t.match(read, {
    operationId: 'userRead',
    summary: 'For a test',
    tags: ['things'],
    'x-access': { who: 'anyone' },
    'x-meter': 'api.read',
  });
  t.strictSame(read.security, [{}, { bearer: [] }, { basic: [] }]);
  t.strictSame(Object.keys(read.responses), ['200', '401', '404', '429', 'default']);
  t.strictSame(read.responses['200']?.content, {
    'application/json': { schema: { $ref: '#/components/schemas/User' } },
  });
  t.strictSame(read.responses['404'], {
    description: 'Not Found',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  });
  const list = operation('/api/v1/users', 'get');
  t.strictSame(list.parameters, [
    { name: 'page', in: 'query', required: false, schema: { type: 'integer', default: 1, minimum: 1 } },
    { name: 'q', in: 'query', required: true, description: 'Text to find', schema: { type: 'string', minLength: 1 } },
    { name: 'state', in: 'query', required: false, schema: { type: 'string', enum: ['a', 'b'] } },
    { name: 'any', in: 'query', required: false, schema: {} },
  ]);
  t.strictSame(list.responses['200']?.content, {
    'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/User' } } },
  });
  const write = operation('/api/v1/things/{name}/files/{path}', 'put');
  t.strictSame(
    write.parameters?.map((parameter) => parameter.name),
    ['name', 'path'],
  );
  t.strictSame(write['x-scope'], {
    name: 'thing:write',
    pat: 'thing:write',
    oauth: 'write:thing',
    includes: ['thing:read'],
  });
  t.strictSame(write.requestBody, {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['user'],
          additionalProperties: false,
          properties: {
            user: { $ref: '#/components/schemas/UserInput' },
            owner: {
              anyOf: [{ $ref: '#/components/schemas/UserInput' }, { type: 'null' }],
              description: 'Who owns it',
            },
            note: { type: 'string', minLength: 1 },
          },
        },
      },
    },
  });
  t.strictSame(
    (write.responses['409']?.content?.['application/json']?.schema as { properties: object } | undefined)?.properties,
    {
      error: {
        type: 'string',
        minLength: 1,
        description: 'A sentence for a person; clients branch on the status and error_code',
      },
      detail: { type: 'string', minLength: 1, description: 'Which field, or what to do' },
      error_code: { type: 'string', minLength: 1, description: 'Stable and machine-readable' },
      existing_repo_id: { type: 'string', minLength: 1 },
    },
  );
  t.strictSame(operation('/api/v1/raw', 'post').requestBody, {
    required: true,
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  });
  t.strictSame(operation('/api/v1/raw', 'post').security, [{ bearer: [] }, { basic: [] }, { session: [] }]);
  t.strictSame(Object.keys(operation('/api/v1/shutter', 'delete').responses), ['204', '401', '503', 'default']);
  t.strictSame(Object.keys(document.components.schemas), [
    'Error',
    'Health',
    'Index',
    'Readiness',
    'User',
    'UserInput',
  ]);
  t.strictSame(document.components.schemas['User'], {
    type: 'object',
    additionalProperties: false,
    required: ['bio', 'id', 'page', 'role'],
    properties: {
      id: { type: 'string', minLength: 1, format: 'uuid' },
      bio: { type: ['string', 'null'], minLength: 1 },
      role: { type: ['string', 'null'], enum: ['owner', 'member', null] },
      page: { type: 'integer', default: 1 },
    },
  });
  t.strictSame(document.components.schemas['UserInput']?.['required'], ['bio', 'id', 'role']);
});

void t.test('an operation whose schema cannot be converted is the only one omitted', async (t) => {
  const strange = (id: string, rest: object) => ({
    plugin: 'bell',
    route: api({
      id,
      summary: 'A sample',
      method: 'POST',
      path: `/${id}`,
      access: anyone,
      scope: null,
      result: 'empty',
      run: () => undefined,
      ...rest,
    }),
  });
  const rig = await startRig(t, [], {
    routes: [
      strange('answer', { result: Joi.valid(1n) }),
      strange('body', { body: Joi.object({ a: Joi.object().valid(globalThis) }) }),
      strange('plain', {}),
    ],
  });
  const { status, body } = await rig.call('GET', '/api/v1/openapi.json');
  t.equal(status, 200);
  const { paths } = body as Document;
  t.strictSame(
    Object.keys(paths).filter((path) => path.startsWith('/api/v1/')),
    ['/api/v1/plain'],
  );
  t.match(
    rig.logged.map(({ message, members }) => [message, members['plugin'], members['route']]),
    [
      ['an operation is not in the OpenAPI document', 'bell', 'answer'],
      ['an operation is not in the OpenAPI document', 'bell', 'body'],
    ],
  );
});

void t.test('object schemas are closed and never empty, or maps', async (t) => {
  const rig = await startRig(t, routes);
  const open: string[] = [];
  const walk = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const schema = node as { type?: unknown; additionalProperties?: unknown; properties?: object };
    if (
      (schema.type === 'object' || (Array.isArray(schema.type) && schema.type.includes('object'))) &&
      typeof schema.additionalProperties !== 'object' &&
      (schema.additionalProperties !== false || Object.keys(schema.properties ?? {}).length === 0)
    )
      open.push(path);
    for (const [key, value] of Object.entries(node)) walk(value, `${path}/${key}`);
  };
  walk(await rig.server.openapi(), '');
  t.strictSame(open, []);
});

void t.test('named schemas become components at any depth, links included', async (t) => {
  const registry = schemaRegistry();
  const tree = Joi.object({ name: Joi.string().required(), children: Joi.array().items(Joi.link('#Tree')) }).id('Tree');
  const label = Joi.object({ color: Joi.string().required() }).meta({ id: 'Label' });
  const derived = tree.keys({ more: Joi.number() });
  const either = registry.of(
    Joi.object({ one: Joi.alternatives(tree, label), list: Joi.array().items(label).required(), derived }),
    'output',
  );
  t.match(either, {
    properties: {
      one: { anyOf: [{ $ref: '#/components/schemas/Tree' }, { $ref: '#/components/schemas/Label' }] },
      list: { items: { $ref: '#/components/schemas/Label' } },
      derived: { type: 'object', properties: { more: { type: 'number' } } },
    },
  });
  t.strictSame(Object.fromEntries(registry.components())['Tree'], {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1 },
      children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
    },
    required: ['name'],
    additionalProperties: false,
  });
  t.strictSame(
    [...registry.components()].map(([name]) => name),
    ['Label', 'Tree'],
  );
});

void t.test('an object with members of any name is a map', (t) => {
  const map = schemaRegistry().of(Joi.object().pattern(Joi.string(), Joi.number().integer()), 'output');
  t.strictSame(map, { type: 'object', additionalProperties: { type: 'integer' } });
  t.end();
});

void t.test('statuses that follow from a descriptor', async (t) => {
  const base = {
    id: 'x',
    summary: 's',
    method: 'GET',
    path: '/x',
    access: anyone,
    scope: null,
    meter: 'none',
    result: 'empty',
    run: () => undefined,
  } as const;
  const table: readonly (readonly [string, Partial<Route>, readonly number[]])[] = [
    ['a bare read', {}, [200, 401]],
    ['its own statuses', { statuses: [404, 304] }, [200, 304, 401, 404]],
    ['success', { success: 204, method: 'DELETE' }, [204, 401]],
    ['a meter', { meter: 'api.read' }, [200, 401, 429]],
    ['a scope', { scope: 'thing:read', access: signedIn }, [200, 401, 403]],
    ['signed in', { access: signedIn }, [200, 401]],
    ['a session', { access: session }, [200, 401, 403]],
    ['an admin', { access: admin('admin:users') }, [200, 401, 403]],
    ['a super-admin', { access: superAdmin }, [200, 401, 403]],
    ['a thing', { access: reads('thing', 'thing.read') }, [200, 401, 404]],
    ['a change of a thing', { access: changes('thing', 'thing.write') }, [200, 401, 403, 404]],
    ['a change that tells nothing', { access: changes('thing', 'thing.write', { lacking: 404 }) }, [200, 401, 404]],
    ['a change by cookie', { method: 'POST', cookies: true }, [200, 401, 403]],
    ['a read by cookie', { cookies: true }, [200, 401]],
    ['a JSON body', { method: 'POST', body: Joi.object({ a: Joi.string() }) }, [200, 400, 401, 413, 415]],
    ['a raw body', { method: 'POST', body: 'raw' }, [200, 400, 401, 413, 415]],
    ['params that take any text', { params: Joi.object({ name: Joi.string().required() }) }, [200, 401]],
    ['params with a rule', { params: Joi.object({ name: Joi.string().uuid().required() }) }, [200, 400, 401]],
    ['params of a kind', { params: Joi.object({ name: Joi.number().required() }) }, [200, 400, 401]],
    ['a query that takes anything', { query: Joi.object({ page: Joi.any() }) }, [200, 401]],
    ['a query of strings, which come twice or empty', { query: Joi.object({ q: Joi.string() }) }, [200, 400, 401]],
    ['a query that must be there', { query: Joi.object({ q: Joi.any().required() }) }, [200, 400, 401]],
    ['a query of few values', { query: Joi.object({ q: Joi.any().valid('a') }) }, [200, 400, 401]],
  ];
  for (const [what, over, statuses] of table)
    t.strictSame(impliedStatuses({ ...base, ...over } as Route), statuses, what);
});

void t.test("the server's own routes: index, health and readiness", async (t) => {
  let ready: { ready: boolean; failing?: string; detail?: string; degraded: string[] } = {
    ready: true,
    degraded: ['search-sql'],
  };
  const rig = await startRig(t, [], { readiness: async () => ready, version: '7.8.9' });
  t.strictSame((await rig.call('GET', '/')).body, {
    name: 'hexforge',
    version: '7.8.9',
    links: {
      api: 'https://forge.example/api/v1',
      openapi: 'https://forge.example/api/v1/openapi.json',
      healthz: 'https://forge.example/healthz',
      readyz: 'https://forge.example/readyz',
      web: 'https://web.example',
    },
  });
  t.strictSame((await rig.call('GET', '/healthz')).body, { status: 'ok' });
  t.strictSame((await rig.call('GET', '/readyz')).body, { status: 'ready', degraded: ['search-sql'] });
  ready = { ready: false, failing: 'identity', detail: 'The database does not answer', degraded: [] };
  const down = await rig.call('GET', '/readyz');
  t.equal(down.status, 503);
  t.strictSame(down.body, {
    error: 'The plugin "identity" is not ready',
    detail: 'The database does not answer',
    error_code: 'unavailable',
  });
  t.equal((await rig.call('GET', '/healthz')).status, 200);
  t.match((await rig.call('POST', '/')).headers, { allow: 'GET, HEAD, OPTIONS' });
});
