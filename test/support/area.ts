// The areas of the API suites: an area is a folder of `test/spec`, and has the name of the plugin whose operations its
// suite answers for, which is their tag in the OpenAPI document.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from './openapi.ts';

/** Its specs run in every API suite, each time for the operations of that suite. */
export const everyArea = 'every';

export const areas: readonly string[] = readdirSync(join(import.meta.dirname, '../spec'))
  .filter((name) => name !== everyArea)
  .sort();

let current: string | undefined;

/** Said once by the suite, before its specs are loaded. */
export function testArea(name: string): void {
  if (!areas.includes(name)) throw new Error(`"${name}" is no folder of test/spec; there are ${areas.join(', ')}`);
  current = name;
}

/** Those that this suite answers for: of a spec that runs without a suite, all. */
export const owned = (operations: readonly Operation[]): readonly Operation[] =>
  current === undefined ? operations : operations.filter(({ tag }) => tag === current);
