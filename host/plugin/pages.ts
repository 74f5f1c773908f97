// Contributed pages of the web interface and their forms: the descriptors, and the registry of all pages.
import type Joi from 'joi';
import '#adapters/http/descriptor/page-frame';
import './markup.ts';
import type { FileSubject, Html, HtmlPage, PageSubject, ThingSubject } from '#adapters/http/descriptor/html';
import type { PathParams, Reply } from '#adapters/http/descriptor/route';
import type { AccessRule, CallOf, GrantOf } from '#core/kernel/access/access';
import type { Call, User } from '#core/kernel/caller';
import { declarePort } from '#core/kernel/ports';
import type { Meter } from '#core/kernel/rate';
import type { ScopeName } from '#core/kernel/access/scopes';

/**
 * The place of a page:
 *
 * - `instance`, the default: below `/-/x/<plugin>`, or below `/-` for plugins that may mount routes anywhere;
 * - `repository`: below `/{owner}/{repo}/-/x/<plugin>`, or below `/{owner}/{repo}/-`;
 * - `root`: the path itself, for plugins that may mount routes anywhere.
 */
export type PagePlace = 'instance' | 'repository' | 'root';

/** The parameters of a page's path. */
export type PageParams<Path extends string, Place extends PagePlace> = PathParams<Path> &
  (Place extends 'repository' ? { readonly owner: string; readonly repo: string } : unknown);

/** A form that was refused because of its content. The page shows it again, with status 422. */
export interface RefusedForm {
  /** The id of the form. */
  readonly form: string;
  /** One sentence. */
  readonly error: string;
  /** The cause and the remedy. */
  readonly detail: string | undefined;
  /** The member that is wrong, if the error is about a single one. */
  readonly field: string | undefined;
  /** The sent texts, by the name of the member; a list for a repeated member. */
  readonly values: Readonly<Record<string, string | readonly string[]>>;
}

export interface PageInput<P, Q, A> {
  readonly params: P;
  readonly query: Q;
  /** The proof of a `permitted` rule, with the resolved resource. */
  readonly granted: GrantOf<A>;
  /** The path and the query of the request, percent-encoded. */
  readonly url: string;
  /** Cookies of the request. */
  readonly cookies: Readonly<Record<string, string>>;
  /** One request header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** The form of this page that was refused, if this request sent one. */
  readonly refused: RefusedForm | undefined;
}

/** The argument of `form`. */
export interface FormSpec<B, A extends AccessRule, Path extends string, Place extends PagePlace> {
  /** Unique among the pages and forms of all plugins, in camelCase: `bellRing`. */
  readonly id: string;
  readonly summary: string;
  /**
   * The path that receives it by POST; its place is that of the page. Parameters that the page has too are checked by
   * its schema.
   */
  readonly path: Path;
  readonly place?: Place;
  readonly access: A;
  readonly scope: ScopeName | null;
  /** Default `api.write`. */
  readonly meter?: Meter;
  /** Each member is a text; an empty one counts as absent. */
  readonly body: Joi.ObjectSchema<B>;
  /** The form may be `multipart/form-data`, with members of the shape `file()`. */
  readonly files?: true;
  /** Default 1 MiB. */
  readonly maxBytes?: number;
  /** Members whose texts the page of a refusal does not show, such as a password. */
  readonly secrets?: readonly string[];
  /**
   * @returns the path of the page to show next, without the path of the external URL; or the next page itself, if it
   *   shows something that must not be shown again, such as a new secret. Browsers do not keep that page.
   * @throws {ValidationFailed | Conflict | Unprocessable} if the content is refused: the page shows the form again.
   */
  run(
    call: CallOf<A>,
    input: Omit<PageInput<PageParams<Path, Place>, unknown, A>, 'refused' | 'query'> & { readonly body: B },
  ): Promise<string | HtmlPage | Reply<string> | Reply<HtmlPage>>;
}

/** A form without its type parameters, with defaults applied. */
export type PageForm = Omit<FormSpec<unknown, AccessRule, string, PagePlace>, 'run' | 'body' | 'meter' | 'place'> & {
  readonly place: PagePlace;
  readonly meter: Meter;
  readonly body: Joi.ObjectSchema;
  run(call: never, input: never): unknown;
};

/** The argument of `page`. */
export interface PageSpec<
  P,
  Q,
  A extends AccessRule,
  Path extends string = string,
  Place extends PagePlace = PagePlace,
> {
  /** Unique among the pages and forms of all plugins, in camelCase: `bellList`. */
  readonly id: string;
  readonly summary: string;
  /** As the path of a route. */
  readonly path: Path;
  readonly place?: Place;
  readonly access: A;
  /** The row of the scope catalogue that a token must satisfy; null if any credential will do. */
  readonly scope: ScopeName | null;
  /** Default `api.read`. */
  readonly meter?: Meter;
  /** Default: every parameter in the path is a text that is not empty. */
  readonly params?: Joi.ObjectSchema<P>;
  /** Unknown query parameters are ignored. */
  readonly query?: Joi.ObjectSchema<Q>;
  /** The forms that it shows again when they are refused. */
  readonly forms?: readonly PageForm[];
  run(call: CallOf<A>, input: PageInput<P, Q, A>): Promise<HtmlPage | Reply<HtmlPage>> | HtmlPage | Reply<HtmlPage>;
}

/** A page without its type parameters, with defaults applied. */
export type WebPage = Omit<
  PageSpec<unknown, unknown, AccessRule>,
  'run' | 'meter' | 'params' | 'query' | 'place' | 'forms'
> & {
  readonly place: PagePlace;
  readonly meter: Meter;
  readonly params?: Joi.ObjectSchema;
  readonly query?: Joi.ObjectSchema;
  readonly forms: readonly PageForm[];
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
 *       run: async (_call, { params }) =>
 *         new HtmlPage({
 *           title: 'Bells',
 *           main: html`<p>${String((await bells.of(params.tower, 30)).length)} bells</p>`,
 *         }),
 *     }),
 *   ],
 */
export function page<
  const A extends AccessRule,
  const Path extends string,
  const Place extends PagePlace = 'instance',
  P = PageParams<Path, Place>,
  Q = Record<never, never>,
>(spec: PageSpec<P, Q, A, Path, Place>): WebPage {
  return { place: 'instance', meter: 'api.read', forms: [], ...spec } as unknown as WebPage;
}

/**
 * Declares a form of a page.
 *
 * @example
 *   const clear = form({
 *     id: 'bellClear',
 *     summary: 'Removes the bells of a tower',
 *     path: '/{tower}/clear',
 *     access: signedIn,
 *     scope: null,
 *     body: shape({ tower: word() }),
 *     run: async (_call, { params, body }) => {
 *       if (body.tower !== params.tower) throw new ValidationFailed('The name of the tower is another one');
 *       await bells.clear(params.tower);
 *       return `/-/x/bell/${params.tower}`;
 *     },
 *   });
 */
export function form<
  const A extends AccessRule,
  const Path extends string,
  B,
  const Place extends PagePlace = 'instance',
>(spec: FormSpec<B, A, Path, Place>): PageForm {
  return { place: 'instance', meter: 'api.write', ...spec } as unknown as PageForm;
}

/** A tab of every repository, such as "Issues". */
export interface RepositoryTab {
  readonly id: string;
  readonly title: string;
  /** As the path of a page; the parameters are `{owner}`, `{repo}` and `{default_branch}`. */
  readonly path: string;
  /** Default `repository`. */
  readonly place?: 'repository' | 'root';
  /** The paths of other pages on which it is the current tab. */
  readonly currentOn?: readonly string[];
  /**
   * `settings` is the menu of the settings of a repository; its entries have no count. An entry of `keys` is hidden:
   * only its key leads to it, from every page of the repository on which no other link has this key. Default `tabs`.
   */
  readonly menu?: 'tabs' | 'settings' | 'keys';
  /** Shown to callers with this permission. */
  readonly permission: string;
  /** The letter that leads to it, pressed after `g`; alone for one of `keys`. */
  readonly key?: string;
  /** Tabs are in this order, then in that of the configuration. Default 50. */
  readonly order?: number;
  /** The number beside the title, for the repository with this id. A failure leaves it out. */
  readonly count?: (repositoryId: string) => Promise<number | undefined>;
}

/** A link in one of the menus. */
export interface MenuEntry {
  readonly id: string;
  readonly title: string;
  /** The whole path of a page, without the path of the external URL. */
  readonly path: string;
  /**
   * `new` is the menu for new repositories and the like. The entries of `settings` (of the account) and `admin` are
   * shown on each other's pages. The first entry of `search-box` is a search box at the top of every page but its own:
   * its label is the title, and it sends `q` to the path, and on pages of a repository `repo`, which is `owner/name`.
   */
  readonly menu: 'instance' | 'account' | 'settings' | 'admin' | 'new' | 'search-box';
  /** Shown to callers who satisfy this rule; a rule about a resource is refused. */
  readonly access: AccessRule;
  readonly order?: number;
  /**
   * Only for `search-box`: the path of a JSON route on which the session cookie authenticates. It is requested with `q`
   * and `repo` while a signed-in user types, and returns `{ suggestions: [{ type, text, path }] }`.
   */
  readonly suggestions?: string;
  /** One sentence about the page. The overview of administration shows it. */
  readonly about?: string;
  /** The number of things on the page, which the overview of administration shows. A failure leaves it out. */
  readonly count?: (call: Call<User>) => Promise<number | undefined>;
}

/** A part of the dashboard. */
export interface DashboardCard {
  readonly id: string;
  readonly title: string;
  readonly order?: number;
  /** Nothing is shown for undefined, such as to a caller who is not signed in. */
  run(call: Call): Promise<Html | undefined>;
}

interface PanelOn<S extends PageSubject> {
  readonly id: string;
  readonly title: string;
  /** The kind of page. */
  readonly on: S['kind'];
  readonly order?: number;
  /** Nothing is shown for undefined. Called for callers who may read the repository. */
  run(call: Call, subject: S): Promise<Html | undefined>;
}

/** A part of the side column of a page. */
export type SidePanel = PanelOn<ThingSubject> | PanelOn<FileSubject>;

/** A contribution, and the plugin that it is from. */
export interface Registered<T> {
  readonly plugin: string;
  readonly one: T;
}

/** The contributions of running plugins to the web interface, in the order of the configuration. From the host. */
export interface PageRegistry {
  /** With whole paths. */
  pages(): readonly Registered<WebPage>[];
  /** With whole paths, such as `/{owner}/{repo}/-/issues`. */
  tabs(): readonly Registered<RepositoryTab>[];
  menu(): readonly Registered<MenuEntry>[];
  cards(): readonly Registered<DashboardCard>[];
  panels(): readonly Registered<SidePanel>[];
}

declare module '#core/kernel/ports' {
  interface Ports {
    PageRegistry: PageRegistry;
  }
}

declarePort('PageRegistry', { arity: 'single', component: 'registry of pages', critical: false, absent: 'refuse' });
