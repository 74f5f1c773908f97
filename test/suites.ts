// The suites and the specs each one holds: a suite is a process, and two run at a time.
import { globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

interface Suite {
  readonly holds: readonly string[];
  readonly except?: readonly string[];
}

/** Every spec is in exactly one suite; `test/tools/suites.spec.ts` holds us to it. */
export const suites = {
  core: { holds: ['test/architecture.spec.ts', 'test/core/**/*.spec.ts', 'test/tools/**/*.spec.ts', 'test/docs/**/*.spec.ts'] },
  adapters: { holds: ['test/adapters/**/*.spec.ts'], except: ['test/adapters/git-native/**'] },
  git: { holds: ['test/adapters/git-native/**/*.spec.ts'] },
  transport: { holds: ['test/spec/git-http*.spec.ts'] },
  host: { holds: ['test/host/**/*.spec.ts', 'test/config/**/*.spec.ts'] },
  plugins: { holds: ['test/plugins/**/*.spec.ts'] },
  /** All HTTP specs in one process, so that the last of them can compare what was seen with the OpenAPI document. */
  api: { holds: ['test/spec/**/*.spec.ts'], except: ['test/spec/git-http*', 'test/spec/running-it*'] },
  /** Whole servers as child processes. */
  process: { holds: ['test/spec/running-it*.spec.ts', 'test/process/**/*.spec.ts', 'test/fault/**/*.spec.ts'] },
} satisfies Record<string, Suite>;

export type SuiteName = keyof typeof suites;

export function specsOf(name: SuiteName): string[] {
  const { holds, except = [] }: Suite = suites[name];
  const left = new Set(except.length === 0 ? [] : globSync([...except], { cwd: root }));
  return globSync([...holds], { cwd: root }).filter((path) => !left.has(path)).sort();
}

/** Registers the specs of a suite, in the order of their names. */
export async function run(name: SuiteName): Promise<void> {
  for (const path of specsOf(name)) await import(join(root, path));
}
