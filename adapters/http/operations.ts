// The routes of a noun that is listed, created, fetched, changed and deleted, without what they have in common.
import type Joi from 'joi';
import type { AccessRule, GrantOf } from '#core/kernel/access';
import { pageRules, readPage, type Page, type PageRequest } from '#core/kernel/page';
import type { ScopeName } from '#core/kernel/scopes';
import { api, type Route } from './route.ts';
import { list, pageOf, pageQuery, presentPage, shape } from './shape.ts';

/** Who may call an operation, and what a token needs. */
export interface OperationAccess<A extends AccessRule> {
  readonly access: A;
  readonly scope: ScopeName | null;
}

/** What the operations of a noun have in common. */
export interface Noun<R extends AccessRule, W extends AccessRule, T, J> {
  /** In lower case: summaries say it. */
  readonly noun: string;
  /** Ids of operations begin with it. Default: the noun. */
  readonly id?: string;
  /** Of the list; one of them is at `{id}` below it. */
  readonly path: string;
  /** For the list, and for one of them. */
  readonly reading: OperationAccess<R>;
  /** For what changes them. */
  readonly writing: OperationAccess<W>;
  /** One of them in an answer, with an id: a page of them is named after it. */
  readonly json: Joi.ObjectSchema<J>;
  /** How it becomes that. */
  readonly present: (thing: T) => J;
}

interface Writes<B> {
  readonly body: Joi.ObjectSchema<B>;
  /** As a route has them. */
  readonly statuses?: readonly number[];
}

/** The operations that a noun can have; each makes a route. */
export interface Operations<R extends AccessRule, W extends AccessRule, T> {
  /** `labelList`: all of them, in an array. */
  list<Q = Record<never, never>>(spec: {
    readonly query?: Joi.ObjectSchema<Q>;
    run(granted: GrantOf<R>, query: Q): Promise<readonly T[]>;
  }): Route;
  /** `labelList` too: a page of them, at most 100, by default 25. */
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
 * The operations of a noun, to choose from. What is otherwise about one of them is written with `api`.
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
