// Definitions with wrong values at every member: the check never throws, and each problem has a code, a message and a
// remedy.
import Joi from 'joi';
import t from 'tap';
import { check } from '#host/check/check';
import { PLUGIN_API_VERSION, type PluginDefinition } from '#host/plugin/definition';
import { bareHost } from '#host/sdk/testing';
import { Refused, type Problem } from '#host/problems/problem';
import '../sample-ports.ts';

type Tree = { [member: string]: unknown };

/** A definition with every member and every kind of contribution. */
const whole = (): Tree => ({
  name: 'bell',
  version: '1.0.0',
  api: `^${PLUGIN_API_VERSION}`,
  onFailure: 'isolate',
  config: Joi.object({ word: Joi.string().default('a').description('A word') }),
  environment: { BELL_WORD: 'word' },
  needs: ['Clock'],
  late: ['SampleVoices'],
  stores: { bells: { sql: () => ({}), memory: () => ({}) } },
  build: () => ({}),
  provides: { SampleExtra: () => ({ greet: () => 'a' }) },
  settings: [{ key: 'bell.enabled', type: 'boolean', default: true, description: 'A sample' }],
  reads: ['bell.enabled'],
  emits: ['bell.rung'],
  outbound: ['bell.example'],
  scopes: [{ name: 'sample.read', pat: 'sample', includes: ['sample.read'] }],
  permissions: [{ name: 'bell.ring', from: 'write' }],
  entities: [{ meta: { tableName: 'bell_ring', className: 'BellRing' } }],
  tables: ['bell_ring'],
  references: [],
  migrations: [{ name: '001', up: ['select 1'] }],
  start: async () => undefined,
  stop: async () => undefined,
});

const guarded = {
  access: {
    who: 'permitted',
    resource: 'bell',
    permission: 'bell.ring',
    needsUser: true,
    anonymous: 401,
    hidden: 404,
    lacking: 403,
    orAdminScope: 'admin:bells',
  },
  scope: 'sample.read',
  meter: 'none',
};
const contributions = (): Readonly<Record<string, Tree>> => ({
  routes: {
    ...guarded,
    id: 'bellRing',
    summary: 'Rings',
    method: 'POST',
    path: '/{name}',
    requires: ['SampleExtra'],
    params: Joi.object({ name: Joi.string() }),
    query: Joi.object({}),
    body: Joi.object({}),
    maxBytes: 7,
    success: 201,
    result: Joi.object({}),
    statuses: [409],
    errorMembers: Joi.object({}),
    hidden: true,
    run: () => ({}),
  },
  tools: {
    access: guarded.access,
    scope: guarded.scope,
    name: 'ring',
    title: 'Ring',
    family: 'bells',
    description: 'Rings',
    input: Joi.object({}),
    output: Joi.object({}),
    run: () => ({}),
  },
  indexers: {
    name: 'bells',
    description: 'Bells',
    scope: null,
    source: Joi.object({}),
    follows: ['bell.rung'],
    permission: 'repo.read',
    touched: () => [],
    document: () => undefined,
    documents: () => [],
  },
  pages: {
    ...guarded,
    id: 'bells',
    summary: 'Bells',
    place: 'instance',
    path: '/bells',
    forms: [
      {
        ...guarded,
        id: 'bellForm',
        summary: 'Rings',
        place: 'instance',
        path: '/bells/ring',
        body: Joi.object({}),
        maxBytes: 7,
        run: () => '/',
      },
    ],
    run: () => ({}),
  },
  tabs: { id: 'bells', title: 'Bells', path: '/bells', permission: 'repo.read', order: 7, count: () => 7 },
  menu: { id: 'bells', title: 'Bells', path: '/-/bells', menu: 'instance', access: { who: 'anyone' } },
  cards: { id: 'bells', title: 'Bells', run: () => undefined },
  panels: { id: 'bells', title: 'Bells', on: 'repository', run: () => undefined },
  channels: {
    ...guarded,
    id: 'bellLive',
    summary: 'Rings',
    path: '/bells',
    params: Joi.object({}),
    follows: ['bell.rung'],
    follow: () => 'a',
    message: () => undefined,
  },
  events: { type: 'bell.rung', name: 'hear', delivery: 'durable', handle: () => undefined },
  jobs: { name: 'ring', everySeconds: 60, run: () => undefined },
  probes: { name: 'rope', check: () => undefined },
});

const throws = (): never => {
  throw new Error('boo');
};
const hostile = new Proxy(() => undefined, { get: throws, ownKeys: throws, has: throws, getPrototypeOf: throws });
const circular: unknown[] = [];
circular.push(circular, { circular });
const wrong: readonly unknown[] = [
  undefined,
  null,
  0,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  ' ',
  '/',
  '{',
  'toString',
  '__proto__',
  true,
  1n,
  Symbol('a'),
  [],
  [undefined],
  [[]],
  {},
  JSON.parse('{"then":1}'),
  { toString: null },
  Object.create(null),
  new Date(Number.NaN),
  new Map(),
  /a/,
  () => undefined,
  throws,
  async () => throws(),
  class Bell {},
  circular,
  hostile,
  new Proxy({}, { get: throws, ownKeys: throws }),
  Joi.string(),
  Joi.object({ a: Joi.any().custom(throws) }),
  Promise.resolve([]),
];

/** The path of every member of a tree, at any depth. */
function* ways(node: unknown, at: readonly string[] = []): Generator<readonly string[]> {
  if (typeof node !== 'object' || node === null || Joi.isSchema(node)) return;
  for (const [member, value] of Object.entries(node)) {
    yield [...at, member];
    yield* ways(value, [...at, member]);
  }
}

function put(tree: unknown, way: readonly string[], value: unknown): void {
  const [member = '', ...rest] = way;
  if (rest.length === 0) Reflect.set(tree as object, member, value);
  else put(Reflect.get(tree as object, member), rest, value);
}

function judged(definition: Tree): readonly Problem[] {
  return check({
    enabled: [definition as unknown as PluginDefinition],
    disabled: [definition as unknown as PluginDefinition],
    providers: {},
    settings: {},
    configOf: () => ({}),
    mountOf: () => 'own',
    isOutside: () => true,
  });
}

const contributing = (kind: string, one: unknown): Tree => ({ ...whole(), [kind]: () => [one] });

/** Whether a problem has a code, a message and a remedy. */
const isTold = ({ code, message, remedy }: Problem): boolean =>
  [code, message, remedy].every((text) => typeof text === 'string' && text.length > 3) &&
  !/ of undefined /.test(message);

void t.test('the complete definition is valid', async (t) => {
  for (const [kind, one] of Object.entries(contributions())) t.strictSame(judged(contributing(kind, one)), [], kind);
});

void t.test('a wrong value at any member is a problem or accepted, and never thrown', async (t) => {
  const cases: [string, Tree][] = [];
  for (const way of ways(whole()))
    for (const value of wrong) {
      const tree = whole();
      put(tree, way, value);
      cases.push([way.join('.'), tree]);
    }
  for (const kind of Object.keys(contributions())) {
    for (const value of wrong) {
      cases.push([kind, { ...whole(), [kind]: value }], [kind, { ...whole(), [kind]: () => value }]);
      cases.push([`${kind}[0]`, contributing(kind, value)]);
    }
    for (const way of ways(contributions()[kind]))
      for (const value of wrong) {
        const one = contributions()[kind];
        put(one, way, value);
        cases.push([`${kind}.${way.join('.')}`, contributing(kind, one)]);
      }
  }
  t.ok(cases.length > 4_000, `${cases.length} definitions`);
  const bad = cases.flatMap(([where, tree]): readonly string[] => {
    try {
      const untold = judged(tree).filter((problem) => !isTold(problem));
      return untold.map(({ message }) => `${where}: ${message}`);
    } catch (error) {
      return [`${where} throws ${String(error)}`];
    }
  });
  t.strictSame(bad.slice(0, 10), []);
});

void t.test('a definition that passes the check starts or is rejected with a sentence', async (t) => {
  const refusals: string[] = [];
  for (const kind of ['provides', 'build', 'events', 'jobs', 'start'])
    for (const value of wrong.slice(0, 30)) {
      const definition = {
        name: 'bell',
        version: '1.0.0',
        api: `^${PLUGIN_API_VERSION}`,
        [kind]: kind === 'provides' ? { SampleExtra: () => value } : () => value,
      };
      try {
        await (await bareHost([definition as unknown as PluginDefinition])).stop();
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        refusals.push(...error.problems.filter((problem) => !isTold(problem)).map(({ message }) => message));
      }
    }
  t.strictSame(refusals, []);
});
