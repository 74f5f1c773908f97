// The URL paths under which contributed routes, channels and pages are mounted.
import type { OwnedChannel } from '#adapters/http/live/channel';
import type { Route } from '#adapters/http/descriptor/route';
import type { AccessDecision } from '#core/kernel/access/access';
import type { Contributions } from '../plugin/contributions.ts';
import type { PagePlace, WebPage } from '../plugin/pages.ts';
import type { Mount, Plan } from '../plugin/plan.ts';
import { pageRoutes } from './pages.ts';

export interface OwnedRoute {
  readonly plugin: string;
  readonly route: Route;
  /** Whether the plugin is external; its responses are validated, and undeclared members are removed. */
  readonly outside: boolean;
}

/** The path itself if the plugin may mount paths anywhere, otherwise the path below `/x/<plugin>`. */
const mounted = (plugin: string, path: string, mount: Mount): string =>
  mount === 'anywhere' ? path : `/x/${plugin}${path === '/' ? '' : path}`;

/** The path of a route below `/api/v1`, or from the root for `mount: 'root'`. */
const routePath = (plugin: string, { path, mount: place }: Route, mount: Mount): string =>
  place === 'root' ? path : mounted(plugin, path, mount);

/** The whole URL path of a route, for comparing routes and for messages. */
export const mountedPath = (plugin: string, route: Route, mount: Mount): string =>
  `${route.mount === 'root' ? '' : '/api/v1'}${routePath(plugin, route, mount)}`;

export const channelPath = (plugin: string, path: string, mount: Mount): string => `/ws${mounted(plugin, path, mount)}`;

const placePrefix: Readonly<Record<PagePlace, string>> = { instance: '/-', repository: '/{owner}/{repo}/-', root: '' };

/** The whole URL path of a page, a form or a tab. */
export const pagePath = (
  plugin: string,
  { place = 'repository', path }: { readonly place?: PagePlace; readonly path: string },
  mount: Mount,
): string => (place === 'root' ? path : placePrefix[place] + mounted(plugin, path, mount).replace(/(?<=.)\/$/, ''));

type Place = Pick<Plan, 'mountOf' | 'isOutside'>;

/** A plugin's routes with their mounted paths. */
export const servedRoutes = (plugin: string, routes: Contributions['routes'], plan: Place): readonly OwnedRoute[] =>
  routes.map((route) => ({
    plugin,
    outside: plan.isOutside(plugin),
    route: { ...route, path: routePath(plugin, route, plan.mountOf(plugin)) },
  }));

/** A page with the whole paths of itself and its forms. */
export const mountedPage = (plugin: string, page: WebPage, mount: Mount): WebPage => ({
  ...page,
  path: pagePath(plugin, page, mount),
  forms: page.forms.map((form) => ({ ...form, path: pagePath(plugin, form, mount) })),
});

/** The routes of a plugin's pages. */
export const servedPages = (
  plugin: string,
  pages: Contributions['pages'],
  plan: Place,
  access: () => AccessDecision,
): readonly OwnedRoute[] =>
  pages.flatMap((page) =>
    pageRoutes(mountedPage(plugin, page, plan.mountOf(plugin)), access).map((route) => ({
      plugin,
      outside: plan.isOutside(plugin),
      route,
    })),
  );

/** A plugin's channels with their mounted paths. */
export const servedChannels = (
  plugin: string,
  channels: Contributions['channels'],
  plan: Place,
): readonly OwnedChannel[] =>
  channels.map((channel) => ({
    plugin,
    outside: plan.isOutside(plugin),
    channel: { ...channel, path: channelPath(plugin, channel.path, plan.mountOf(plugin)) },
  }));
