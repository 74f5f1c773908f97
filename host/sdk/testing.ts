// The module "hexforge/testing": tools for testing a plugin.
import { check } from '#host/check/check';
import type { PluginDefinition } from '#host/plugin/definition';
import { Refused, type Problem } from '#host/problems/problem';
import { planOf, type CheckOptions } from './testing/bare-host.ts';

export { fixedClock, sequentialIds, type FixedClock } from '#adapters/memory/index';
export { bareHost, type BareHost, type BareHostOptions, type CheckOptions } from './testing/bare-host.ts';
export type { Browser, Form, Page } from './testing/browser.ts';
export type { Answer, Client, RequestOptions } from './testing/client.ts';
export {
  testHost,
  type NewRepository,
  type NewUser,
  type TestHost,
  type TestHostOptions,
  type TestRepository,
  type TestUser,
} from './testing/test-host.ts';
export { Refused, type Problem };

/** Problems that depend on other plugins. */
const ofCompany: ReadonlySet<string> = new Set([
  'missing_port',
  'reference',
  'unknown_scope',
  'unknown_permission',
  'unknown_event',
  'unknown_read',
]);

/**
 * The problems of a definition by itself; empty for a correct plugin.
 *
 * @example
 *   assert.deepEqual(checkPlugin(bell, { config: { bell: { tower: 'north' } } }), []);
 */
export function checkPlugin(definition: PluginDefinition, options: CheckOptions = {}): readonly Problem[] {
  return check(planOf([definition], options)).filter(({ code }) => !ofCompany.has(code));
}
