// Makes the routes of a noun that is listed, created, fetched, changed and deleted, from the parts that differ.
import type Joi from 'joi';
import type { AccessRule, GrantOf } from '#core/kernel/access/access';
import { pageRules, readPage, type Page, type PageRequest } from '#core/kernel/page';
import type { ScopeName } from '#core/kernel/access/scopes';
import { api, type Route } from './route.ts';
import { list, pageOf, pageQuery, presentPage, shape } from './shape.ts';

/** The access rule of an operation, and the scope that a token needs. */
export interface OperationAccess<A extends AccessRule> {
  readonly access: A;
  readonly scope: ScopeName | null;
}

/** The common parts of the operations of a noun. */
export interface Noun<R extends AccessRule, W extends AccessRule, T, J> {
  /** In lower case, as it appears in summaries. */
  readonly noun: string;
  /** Prefix of the operation ids. Default: the noun. */
  readonly id?: string;
  /** Path of the list; a single item is at `{id}` below it. */
  readonly path: string;
  /** For the list and for a single item. */
  readonly reading: OperationAccess<R>;
  /** For create, update and delete. */
  readonly writing: OperationAccess<W>;
  /** Schema of one item in an answer. It needs an id, after which the page is named. */
  readonly json: Joi.ObjectSchema<J>;
  /** Converts an item to its JSON. */
  readonly present: (thing: T) => J;
}

interface Writes<B> {
  readonly body: Joi.ObjectSchema<B>;
  /** As in a route descriptor. */
  readonly statuses?: readonly number[];
}

/** The operations that a noun can have; each makes a route. */
export interface Operations<R extends AccessRule, W extends AccessRule, T> {
  /** `labelList`: all items, in an array. */
  list<Q = Record<never, never>>(spec: {
    readonly query?: Joi.ObjectSchema<Q>;
    run(granted: GrantOf<R>, query: Q): Promise<readonly T[]>;
  }): Route;
  /** Also `labelList`: a page of items, at most 100, by default 25. */
  page(spec: { run(granted: GrantOf<R>, page: PageRequest): Promise<Page<T>> }): Route;
  /** `labelCreate`: 201. */
  create<B>(spec: Writes<B> & { run(granted: GrantOf<W>, body: B): Promise<T> }): Route;
  /** `labelFetch`. */
  fetch(spec: { run(granted: GrantOf<R>, which: { readonly id: string }): Promise<T> }): Route;
  /** `labelUpdate`, a PATCH. */
  update<B>(spec: Writes<B> & { run(granted: GrantOf<W>, change: B & { readonly id: string }): Promise<T> }): Route;
  /** `labelDelete`: 204. */
  delete(spec: { run(granted: GrantOf<W>, which: { readonly id: string }): Promise<unknown> }): Route;
}

/**
 * The operations of a noun, to choose from. Other operations on the noun are declared with `api`.
 *
 * @example
 *   const labelOf = operations({
 *     noun: 'label',
 *     path: '/{owner}/{repo}/labels',
 *     reading: { access: reads('repository', 'repo.read'), scope: 'repo.read' },
 *     writing: { access: changes('repository', 'repo.write'), scope: 'repo.write' },
 *     json: shape({ id: uuid(), name: text() }).id('Label'),
 *     present: ({ id, name }: Label) => ({ id, name }),
 *   });
 *   const routes = [
 *     labelOf.page({
 *       run: ({ resource }, page) =>
 *         labels.page({ where: { repositoryId: resource.id }, orderBy: ['nameKey'] }, page),
 *     }),
 *     labelOf.fetch({ run: (granted, which) => items.fetch(granted, which) }),
 *     labelOf.delete({ run: (granted, which) => items.delete(granted, which) }),
 *   ];
 */
export function operations<const R extends AccessRule, const W extends AccessRule, T, J>(
  common: Noun<R, W, T, J>,
): Operations<R, W, T> {
  const { noun, id: own = noun, path, reading, writing, json, present } = common;
  const one = `${path}/{id}` as '/{id}';
  const a = /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
  const listed = { ...reading, id: `${own}List`, summary: `List ${noun}s`, method: 'GET', path } as const;
  return {
    list: ({ query, run }) =>
      api({
        ...listed,
        ...(query !== undefined && { query }),
        result: list(json),
        run: async (_call, input) => (await run(input.granted, input.query)).map(present),
      }),
    page: ({ run }) =>
      api({
        ...listed,
        query: shape(pageQuery),
        result: pageOf(json).id(`${String(json.$_getFlag('id'))}Page`),
        run: async (_call, { granted, query }) =>
          presentPage(await run(granted, readPage(pageRules.orDefault(), query)), present),
      }),
    create: ({ run, ...spec }) =>
      api({
        ...writing,
        ...spec,
        id: `${own}Create`,
        summary: `Create ${a}`,
        method: 'POST',
        path,
        success: 201,
        result: json,
        run: async (_call, { granted, body }) => present(await run(granted, body)),
      }),
    fetch: ({ run }) =>
      api({
        ...reading,
        id: `${own}Fetch`,
        summary: `A${a.slice(1)}`,
        method: 'GET',
        path: one,
        result: json,
        run: async (_call, { granted, params: { id } }) => present(await run(granted, { id })),
      }),
    update: ({ run, ...spec }) =>
      api({
        ...writing,
        ...spec,
        id: `${own}Update`,
        summary: `Change ${a}`,
        method: 'PATCH',
        path: one,
        result: json,
        run: async (_call, { granted, params: { id }, body }) => present(await run(granted, { ...body, id })),
      }),
    delete: ({ run }) =>
      api({
        ...writing,
        id: `${own}Delete`,
        summary: `Delete ${a}`,
        method: 'DELETE',
        path: one,
        result: 'empty',
        run: async (_call, { granted, params: { id } }) => void (await run(granted, { id })),
      }),
  };
}
