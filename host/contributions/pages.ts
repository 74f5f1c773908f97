// Contributed pages: the descriptor a plugin gives of one page of the web interface, and the registry it is served
// from.
import type Joi from 'joi';
import type { PathParams } from '#adapters/http/route';
import type { AccessRule, CallOf, GrantOf } from '#core/kernel/access';
import { declarePort } from '#core/kernel/ports';
import type { Meter } from '#core/kernel/rate';
import type { ScopeName } from '#core/kernel/scopes';
import type { Life } from '../life.ts';

export interface PageInput<P, Q, A> {
  readonly params: P;
  readonly query: Q;
  /** The proof of a `permitted` rule, with the thing it resolved. */
  readonly granted: GrantOf<A>;
}

/** What a page shows. */
export interface PageContent {
  readonly title: string;
  /** HTML of the main part. What comes from people has to be escaped by then: it is shown as it is. */
  readonly html: string;
}

/** One page, as `page` takes it. */
export interface PageSpec<P, Q, A extends AccessRule, Path extends string = string> {
  /** Unique among the pages of all plugins, camelCase: `bellList`. */
  readonly id: string;
  readonly summary: string;
  /** Under `/-/x/<plugin>`; under `/-` for plugins that may put routes anywhere. As of a route otherwise. */
  readonly path: Path;
  readonly access: A;
  /** The row of the scope catalogue that a token must satisfy; null where any credential will do. */
  readonly scope: ScopeName | null;
  /** Default `api.read`. */
  readonly meter?: Meter;
  /** Default: every parameter that the path names is text that is not empty. */
  readonly params?: Joi.ObjectSchema<P>;
  /** Unknown query parameters are ignored. */
  readonly query?: Joi.ObjectSchema<Q>;
  run(call: CallOf<A>, input: PageInput<P, Q, A>): Promise<PageContent> | PageContent;
}

/** A page whose types have done their work, with its defaults. */
export type WebPage = Omit<PageSpec<unknown, unknown, AccessRule>, 'run' | 'meter' | 'params' | 'query'> & {
  readonly meter: Meter;
  readonly params?: Joi.ObjectSchema;
  readonly query?: Joi.ObjectSchema;
  run(call: never, input: never): unknown;
};

/**
 * Declares one page of the web interface.
 *
 * @example
 *   pages: ({ bells }) => [
 *     page({
 *       id: 'bellList',
 *       summary: 'Shows the bells of a tower',
 *       path: '/{tower}',
 *       access: signedIn,
 *       scope: null,
 *       run: async (_call, { params }) => ({
 *         title: 'Bells',
 *         html: `<p>${(await bells.of(params.tower, 30)).length} bells</p>`,
 *       }),
 *     }),
 *   ],
 */
export function page<
  const A extends AccessRule,
  const Path extends string,
  P = PathParams<Path>,
  Q = Record<never, never>,
>(spec: PageSpec<P, Q, A, Path>): WebPage {
  return { ...spec, meter: spec.meter ?? 'api.read' } as unknown as WebPage;
}

export interface RegisteredPage {
  readonly plugin: string;
  /** With the whole path, from `/-/`. */
  readonly page: WebPage;
}

/** The pages of the plugins that run, in the order of the configuration. Provided by the host. */
export interface PageRegistry {
  pages(): readonly RegisteredPage[];
}

declare module '#core/kernel/ports' {
  interface Ports {
    PageRegistry: PageRegistry;
  }
}

declarePort('PageRegistry', { arity: 'single', component: 'registry of pages', critical: false, absent: 'refuse' });

/** Where a page is served. */
export const pagePath = (plugin: string, path: string, mount: 'anywhere' | 'own'): string =>
  mount === 'anywhere' ? `/-${path}` : `/-/x/${plugin}${path === '/' ? '' : path}`;

/** Follows the plugins: the pages of one that failed are gone. */
export const livingPages = (lives: readonly Life[], mountOf: (plugin: string) => 'anywhere' | 'own'): PageRegistry => ({
  pages: () =>
    lives
      .filter(({ usable }) => usable)
      .flatMap(({ name, made }) =>
        (made?.pages ?? []).map((one) => ({
          plugin: name,
          page: { ...one, path: pagePath(name, one.path, mountOf(name)) },
        })),
      ),
});
