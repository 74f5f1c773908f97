// Contributed routes, and the path prefix under which a plugin's routes are mounted.
import type { Route } from '#adapters/http/descriptor/route';
import type { Mount } from '../plan.ts';

export interface OwnedRoute {
  readonly plugin: string;
  readonly route: Route;
  /** Whether the plugin is external; its responses are validated, and undeclared members are removed. */
  readonly outside: boolean;
}

/** The whole URL path, for comparing routes and for messages. */
export function mountedPath(plugin: string, route: Route, mount: Mount): string {
  const path = mounted(plugin, route, mount).path;
  return route.mount === 'root' ? path : `/api/v1${path}`;
}

/** The route with its mounted path: under `/api/v1/x/<plugin>/` unless the plugin may mount routes anywhere. */
export function mounted(plugin: string, route: Route, mount: Mount): Route {
  return mount === 'anywhere' || route.mount === 'root'
    ? route
    : { ...route, path: `/x/${plugin}${route.path === '/' ? '' : route.path}` };
}
