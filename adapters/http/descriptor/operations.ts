// Makes the routes of a noun that is listed, created, fetched, changed and deleted, from the parts that differ.
import type Joi from 'joi';
import type { AccessRule, CallOf, GrantOf } from '#core/kernel/access/access';
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
  readonly present: (thing: T, call: CallOf<R> | CallOf<W>) => J;
}

/** The first argument of a use case: the proof of access of a `permitted` rule, and for every other rule the call. */
type SubjectOf<A> = GrantOf<A> extends undefined ? CallOf<A> : GrantOf<A>;

/** The members that every operation can have, as in a route descriptor. */
interface Spec {
  /** Default: it names the operation and the noun. */
  readonly summary?: string;
  readonly statuses?: readonly number[];
}

interface Writes<B> extends Spec {
  readonly body: Joi.ObjectSchema<B>;
}

/** The operations that a noun can have; each makes a route. */
export interface Operations<R extends AccessRule, W extends AccessRule, T> {
  /** `labelList`: all items, in an array. */
  list<Q = Record<never, never>>(
    spec: Spec & {
      readonly query?: Joi.ObjectSchema<Q>;
      run(granted: SubjectOf<R>, query: Q): Promise<readonly T[]>;
    },
  ): Route;
  /** Also `labelList`: a page of items, at most 100, by default 25. */
  page(spec: Spec & { run(granted: SubjectOf<R>, page: PageRequest): Promise<Page<T>> }): Route;
  /** `labelCreate`: 201. */
  create<B>(spec: Writes<B> & { run(granted: SubjectOf<W>, body: B): Promise<T> }): Route;
  /** `labelFetch`. */
  fetch(spec: Spec & { run(granted: SubjectOf<R>, which: { readonly id: string }): Promise<T> }): Route;
  /** `labelUpdate`, a PATCH. */
  update<B>(spec: Writes<B> & { run(granted: SubjectOf<W>, change: B & { readonly id: string }): Promise<T> }): Route;
  /** `labelDelete`: 204. */
  delete(spec: Spec & { run(granted: SubjectOf<W>, which: { readonly id: string }): Promise<unknown> }): Route;
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
  const subject = <A extends AccessRule>(call: CallOf<A>, granted: GrantOf<A>) => (granted ?? call) as SubjectOf<A>;
  return {
    list: ({ query, run, ...spec }) =>
      api({
        ...listed,
        ...spec,
        ...(query !== undefined && { query }),
        result: list(json),
        run: async (call, input) =>
          (await run(subject(call, input.granted), input.query)).map((thing) => present(thing, call)),
      }),
    page: ({ run, ...spec }) =>
      api({
        ...listed,
        ...spec,
        query: shape(pageQuery),
        result: pageOf(json).id(`${String(json.$_getFlag('id'))}Page`),
        run: async (call, { granted, query }) =>
          presentPage(await run(subject(call, granted), readPage(pageRules.orDefault(), query)), (thing) =>
            present(thing, call),
          ),
      }),
    create: ({ run, ...spec }) =>
      api({
        ...writing,
        summary: `Create ${a}`,
        ...spec,
        id: `${own}Create`,
        method: 'POST',
        path,
        success: 201,
        result: json,
        run: async (call, { granted, body }) => present(await run(subject(call, granted), body), call),
      }),
    fetch: ({ run, ...spec }) =>
      api({
        ...reading,
        summary: `A${a.slice(1)}`,
        ...spec,
        id: `${own}Fetch`,
        method: 'GET',
        path: one,
        result: json,
        run: async (call, { granted, params: { id } }) => present(await run(subject(call, granted), { id }), call),
      }),
    update: ({ run, ...spec }) =>
      api({
        ...writing,
        summary: `Change ${a}`,
        ...spec,
        id: `${own}Update`,
        method: 'PATCH',
        path: one,
        result: json,
        run: async (call, { granted, params: { id }, body }) =>
          present(await run(subject(call, granted), { ...body, id }), call),
      }),
    delete: ({ run, ...spec }) =>
      api({
        ...writing,
        summary: `Delete ${a}`,
        ...spec,
        id: `${own}Delete`,
        method: 'DELETE',
        path: one,
        result: 'empty',
        run: async (call, { granted, params: { id } }) => void (await run(subject(call, granted), { id })),
      }),
  };
}
