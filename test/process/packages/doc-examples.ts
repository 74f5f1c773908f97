// Turns the examples in the doc comments of the package into modules, each with the declarations that it uses.
import { examplesOf, stripped, type Declaration, type Entry } from '../../../tools/source/declarations.ts';

/** Declarations that examples use without showing them. */
const speakingOf = `
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type * as kit from 'hexforge/plugin';
import type * as repositories from 'hexforge/repositories';
import bell from './own-words.ts';

interface Label { readonly id: string; readonly repositoryId: string; readonly name: string; readonly nameKey: string }
interface LabelStore {
  list(repositoryId: string, slice: { limit: number; offset: number }): Promise<{ labels: readonly Label[]; total: number }>;
  byId(id: string): Promise<Label | undefined>;
  insert(label: Label): Promise<void>;
  update(id: string, patch: Partial<Label>): Promise<boolean>;
  delete(id: string): Promise<boolean>;
}
declare const LabelTable: { readonly meta: object };
declare const database: kit.MemoryDatabase;
declare const sessions: kit.MemoryTable<{ readonly id: string; readonly expiresAt: Date }>;
declare const tokens: kit.MemoryTable<{ readonly id: string; readonly userId: string; readonly createdAt: Date }>;
declare const bells: { of(tower: string, limit: number): Promise<readonly string[]>; clear(tower: string): Promise<void> };
declare const labels: kit.Rows<Label>;
declare const label: Label;
declare const indexed: repositories.IndexedThings<kit.Titled>;
declare const items: repositories.RepositoryItems<Label>;
declare const unitOfWork: kit.UnitOfWork;
declare const events: kit.Events;
declare const ids: kit.Ids;
declare const userId: string;
declare const now: Date;
declare const mySealer: kit.Sealer;
`;

/** Matches an example that is a member of a definition, such as `stores: { … },`. */
const member = /^\w+: /;
const definition = (code: string): string =>
  `export const own = definePlugin({ name: 'a', version: '1.0.0', api: '*', build: () => ({ bells }),\n${code}\n});`;

/** Types that the package exports from libraries, which have no declaration in the package. */
const typesOfLibraries = new Set(['InferKyselyDB', 'Kysely']);

/** Imports for the names of the package that the code uses. */
function importsFor(code: string, entries: readonly Entry[]): string {
  const words = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  // Declarations above take precedence over exports of the same name.
  for (const [, own = ''] of speakingOf.matchAll(/^(?:interface|declare const) (\w+)/gm)) words.delete(own);
  return entries
    .flatMap(({ name: entry, exports }) =>
      exports
        .filter(({ name }) => words.delete(name))
        .map(({ name, declaration }) => {
          const isType = typesOfLibraries.has(name) || /^(?:interface|type) /.test(stripped(declaration?.text ?? ''));
          return `import { ${isType ? 'type ' : ''}${name} } from '${entry}';`;
        }),
    )
    .join('\n');
}

export interface Example {
  /** The declaration that the example documents. */
  readonly name: string;
  readonly module: string;
}

/** @param behind declarations that are not exported themselves, but that the exports refer to. */
export function docExamples(entries: readonly Entry[], behind: readonly Declaration[]): readonly Example[] {
  const exported = entries.flatMap(({ exports }) => exports.flatMap(({ declaration }) => declaration ?? []));
  return [...new Set([...exported, ...behind])].flatMap((declaration) =>
    examplesOf(declaration).map((written) => {
      const code = written.trim();
      const whole = member.test(code) ? definition(code) : code;
      return { name: declaration.name, module: [importsFor(whole, entries), speakingOf, whole, ''].join('\n') };
    }),
  );
}
