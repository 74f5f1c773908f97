// The scope catalogue. A route names one row of it. A row states which token scope allows the route, and which other
// rows that scope satisfies too.
import { declarePort } from '../ports.ts';

/** Every area adds the names of its rows by declaration merging. A route that names an unknown row does not compile. */
export interface Scopes {}
/** The name of a row of the scope catalogue. */
export type ScopeName = keyof Scopes & string;

/** The value of `pat` or `oauth` that accepts every valid token of that kind, whatever its scopes. */
export const anyToken = '*';

/** One row of the scope catalogue. */
export interface ScopeRow {
  readonly name: ScopeName;
  /** The required scope of a personal access token. `anyToken`: every one is accepted. Absent: none is accepted. */
  readonly pat?: string;
  /** The required scope of an OAuth2 token. `anyToken`: every one is accepted. Absent: none is accepted. */
  readonly oauth?: string;
  /** Ends the sentence "The token can …", such as `read issues`. Absent: people see the name of the scope alone. */
  readonly about?: string;
  /** Rows that the token scope of this row satisfies too: that of repo.admin satisfies repo.write and repo.read. */
  readonly includes?: readonly ScopeName[];
}

/** The port that returns the scope rows of the running plugins. */
export interface ScopeCatalogue {
  rows(): readonly ScopeRow[];
  row(name: ScopeName): ScopeRow;
  /** Every token scope of one kind, in the order of contribution. */
  tokenScopes(kind: 'pat' | 'oauth'): readonly string[];
  /**
   * Whether a token with the scopes `held` satisfies the row. `required` is the token scope of the row; undefined if no
   * token of this kind can satisfy it.
   */
  satisfied(
    row: ScopeName,
    kind: 'pat' | 'oauth',
    held: readonly string[],
  ): { readonly ok: boolean; readonly required: string | undefined };
}

declare module '../ports.ts' {
  interface Ports {
    ScopeCatalogue: ScopeCatalogue;
  }
}

declarePort('ScopeCatalogue', { arity: 'single', component: 'scope catalogue', critical: true, absent: 'refuse' });

/** A scope of tokens, as people read it. */
export interface DescribedScope {
  readonly name: string;
  /** Ends the sentence "The token can …"; empty if nothing is said about the scope. */
  readonly about: string;
}

/** Every token scope of one kind with its description: that of the first row which has one. */
export const describedScopes = (catalogue: ScopeCatalogue, kind: 'pat' | 'oauth'): readonly DescribedScope[] =>
  catalogue.tokenScopes(kind).map((name) => ({
    name,
    about: catalogue.rows().find((row) => row[kind] === name && row.about !== undefined)?.about ?? '',
  }));

/** Builds the catalogue from the contributed rows. The host rejects duplicates beforehand. */
export function scopeCatalogue(contributed: readonly ScopeRow[]): ScopeCatalogue {
  const byName = new Map<string, ScopeRow>(contributed.map((row) => [row.name, row]));
  const closure = (name: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(name)) return seen;
    seen.add(name);
    for (const inner of byName.get(name)?.includes ?? []) closure(inner, seen);
    return seen;
  };
  /** Row → the token scopes that satisfy it: its own, and those of every row that includes it. */
  const accepted = { pat: new Map<string, Set<string>>(), oauth: new Map<string, Set<string>>() };
  for (const kind of ['pat', 'oauth'] as const) {
    for (const wider of contributed) {
      const scope = wider[kind];
      if (scope === undefined) continue;
      for (const inner of closure(wider.name)) {
        const set = accepted[kind].get(inner) ?? new Set<string>();
        accepted[kind].set(inner, set.add(scope));
      }
    }
  }
  const row = (name: ScopeName): ScopeRow => {
    const found = byName.get(name);
    if (found === undefined) throw new Error(`scope row "${name}" is in no enabled plugin`);
    return found;
  };
  return {
    rows: () => contributed,
    row,
    tokenScopes: (kind) =>
      [...new Set(contributed.flatMap((r) => r[kind] ?? []))].filter((scope) => scope !== anyToken),
    satisfied: (name, kind, held) => {
      const required = row(name)[kind];
      const good = accepted[kind].get(name);
      if (required === anyToken) return { ok: true, required };
      return { ok: required !== undefined && held.some((scope) => good?.has(scope) === true), required };
    },
  };
}
