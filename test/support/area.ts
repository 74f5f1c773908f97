// The areas of the API suites. An area is a folder of `test/spec` with the name of the plugin whose operations its
// suite covers; that name is also their tag in the OpenAPI document.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from './clients/openapi.ts';

/** The specs of this folder run in every API suite, each time for the operations of that suite. */
export const everyArea = 'every';

export const areas: readonly string[] = readdirSync(join(import.meta.dirname, '../spec'))
  .filter((name) => name !== everyArea)
  .sort();

let current: readonly string[] | undefined;

/** Called once by the suite, before its specs are loaded. */
export function testAreas(names: readonly string[]): void {
  const unknown = names.find((name) => !areas.includes(name));
  if (unknown !== undefined) throw new Error(`"${unknown}" is no folder of test/spec; there are ${areas.join(', ')}`);
  current = names;
}

/** The operations that this suite must cover. A spec that runs without a suite covers all operations. */
export const owned = (operations: readonly Operation[]): readonly Operation[] =>
  current === undefined ? operations : operations.filter(({ tag }) => current?.includes(tag));
