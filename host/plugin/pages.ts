// Contributed pages of the web interface: the descriptor of one page, and the registry of all pages.
import type Joi from 'joi';
import type { PathParams } from '#adapters/http/descriptor/route';
import type { AccessRule, CallOf, GrantOf } from '#core/kernel/access/access';
import { declarePort } from '#core/kernel/ports';
import type { Meter } from '#core/kernel/rate';
import type { ScopeName } from '#core/kernel/access/scopes';

export interface PageInput<P, Q, A> {
  readonly params: P;
  readonly query: Q;
  /** The proof of a `permitted` rule, with the resolved resource. */
  readonly granted: GrantOf<A>;
}

/** The content of a page. */
export interface PageContent {
  readonly title: string;
  /** HTML of the main part. It is not escaped, so the plugin must escape everything that comes from users. */
  readonly html: string;
}

/** The argument of `page`. */
export interface PageSpec<P, Q, A extends AccessRule, Path extends string = string> {
  /** Unique among the pages of all plugins, in camelCase: `bellList`. */
  readonly id: string;
  readonly summary: string;
  /**
   * Relative to `/-/x/<plugin>`, or to `/-` for plugins that may mount routes anywhere. Otherwise like the path of a
   * route.
   */
  readonly path: Path;
  readonly access: A;
  /** The row of the scope catalogue that a token must satisfy; null if any credential will do. */
  readonly scope: ScopeName | null;
  /** Default `api.read`. */
  readonly meter?: Meter;
  /** Default: every parameter in the path is a text that is not empty. */
  readonly params?: Joi.ObjectSchema<P>;
  /** Unknown query parameters are ignored. */
  readonly query?: Joi.ObjectSchema<Q>;
  run(call: CallOf<A>, input: PageInput<P, Q, A>): Promise<PageContent> | PageContent;
}

/** A page without its type parameters, with defaults applied. */
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
  /** With the whole path, starting with `/-/`. */
  readonly page: WebPage;
}

/** The pages of running plugins, in the order of the configuration. Provided by the host. */
export interface PageRegistry {
  pages(): readonly RegisteredPage[];
}

declare module '#core/kernel/ports' {
  interface Ports {
    PageRegistry: PageRegistry;
  }
}

declarePort('PageRegistry', { arity: 'single', component: 'registry of pages', critical: false, absent: 'refuse' });
