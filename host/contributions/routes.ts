// Contributed routes, and the path prefix where a plugin's routes are mounted.
import type { Route } from '#adapters/http/route';
import type { Mount } from '../plan.ts';

export interface OwnedRoute {
  readonly plugin: string;
  readonly route: Route;
  /** Of a plugin from outside: its answers are checked and stripped. */
  readonly outside: boolean;
}

/** The whole path, for comparing claims and for messages. */
export function mountedPath(plugin: string, route: Route, mount: Mount): string {
  const path = mounted(plugin, route, mount).path;
  return route.mount === 'root' ? path : `/api/v1${path}`;
}

/** The route as it is served: a plugin that was not granted a place has its routes under `/api/v1/x/<plugin>/`. */
export function mounted(plugin: string, route: Route, mount: Mount): Route {
  return mount === 'anywhere' || route.mount === 'root'
    ? route
    : { ...route, path: `/x/${plugin}${route.path === '/' ? '' : route.path}` };
}
