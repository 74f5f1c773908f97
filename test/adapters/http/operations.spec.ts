// The operations of a resource: each equals the route that `api` makes from the same declaration.
import t from 'tap';
import { operations } from '#adapters/http/descriptor/operations';
import { api, type Route } from '#adapters/http/descriptor/route';
import { count, list, maybe, pageOf, pageQuery, shape, uuid, word } from '#adapters/http/descriptor/shape';
import { changes, reads } from '#core/kernel/access/access';
import type {} from './rig.ts';

const path = '/things/{name}/eggs';
const reading = { access: reads('thing', 'thing.read'), scope: 'thing:read' } as const;
const writing = { access: changes('thing', 'thing.write'), scope: 'thing:write' } as const;
const json = shape({ id: uuid(), size: count() }).id('Egg');
const body = shape({ size: count() }).id('EggCreate');
const change = shape({ size: maybe(count()) }).id('EggUpdate');
const query = shape({ state: maybe(word()) });
interface Egg {
  readonly id: string;
  readonly grams: number;
}
const egg = (id: string, grams = 50): Egg => ({ id, grams });
const common = { path, reading, writing, json, present: ({ id, grams }: Egg) => ({ id, size: grams }) };
const eggs = operations({ noun: 'egg', ...common });

/** A route without its function, and with its schemas as data. */
const told = ({ run: _run, ...route }: Route): unknown =>
  Object.fromEntries(
    Object.entries(route).map(([name, value]) => [
      name,
      ['params', 'query', 'body', 'result'].includes(name) && typeof value === 'object'
        ? (value as ReturnType<typeof shape>).describe()
        : value,
    ]),
  );
const answer = async (route: Route, input: object): Promise<unknown> => route.run(undefined as never, input as never);
const granted = { resource: { name: 'nest' } };

void t.test('declares ids, summaries, methods, access, scopes, schemas and statuses', async (t) => {
  const made = [
    eggs.list({ query, run: async () => [] }),
    eggs.page({ run: async (_granted, page) => ({ items: [], total: 0, ...page }) }),
    eggs.create({ body, statuses: [409], run: async () => egg('1') }),
    eggs.fetch({ run: async () => egg('1') }),
    eggs.update({ body: change, run: async () => egg('1') }),
    eggs.delete({ run: async () => egg('1') }),
  ];
  const run = (): never => undefined as never;
  const one = `${path}/{id}`;
  const listed = { ...reading, id: 'eggList', summary: 'List eggs', method: 'GET', path, run } as const;
  const written = [
    api({ ...listed, query, result: list(json) }),
    api({ ...listed, query: shape(pageQuery), result: pageOf(json).id('EggPage') }),
    api({
      ...writing,
      id: 'eggCreate',
      summary: 'Create an egg',
      method: 'POST',
      path,
      body,
      success: 201,
      result: json,
      statuses: [409],
      run,
    }),
    api({ ...reading, id: 'eggFetch', summary: 'An egg', method: 'GET', path: one, result: json, run }),
    api({
      ...writing,
      id: 'eggUpdate',
      summary: 'Change an egg',
      method: 'PATCH',
      path: one,
      body: change,
      result: json,
      run,
    }),
    api({ ...writing, id: 'eggDelete', summary: 'Delete an egg', method: 'DELETE', path: one, result: 'empty', run }),
  ];
  t.strictSame(made.map(told), written.map(told));
  const bells = operations({ ...common, noun: 'bell', id: 'towerBell' });
  t.match(bells.delete({ run: async () => undefined }), { id: 'towerBellDelete', summary: 'Delete a bell' });
});

void t.test('passes the input to its use case and presents the result', async (t) => {
  const given: unknown[] = [];
  const hear =
    <T>(thing: T) =>
    async (...all: readonly unknown[]): Promise<T> => {
      given.push(all);
      return thing;
    };
  const big = egg('1', 70);
  const shown = { id: '1', size: 70 };
  const page = { items: [big], total: 9, page: 2, perPage: 3 };
  const params = { name: 'nest', id: '1' };
  t.strictSame(await answer(eggs.list({ query, run: hear([big]) }), { granted, query: { state: 'raw' } }), [shown]);
  t.strictSame(await answer(eggs.page({ run: hear(page) }), { granted, query: { page: '2', per_page: '3' } }), {
    items: [shown],
    total: 9,
    page: 2,
    per_page: 3,
  });
  t.strictSame(await answer(eggs.create({ body, run: hear(big) }), { granted, body: { size: 70 } }), shown);
  t.strictSame(await answer(eggs.fetch({ run: hear(big) }), { granted, params }), shown);
  t.strictSame(await answer(eggs.update({ body: change, run: hear(big) }), { granted, params, body: {} }), shown);
  t.equal(await answer(eggs.delete({ run: hear(big) }), { granted, params }), undefined);
  t.strictSame(given, [
    [granted, { state: 'raw' }],
    [granted, { page: 2, perPage: 3 }],
    [granted, { size: 70 }],
    [granted, { id: '1' }],
    [granted, { id: '1' }],
    [granted, { id: '1' }],
  ]);
});
