// Queries that are compiled once and run with different parameters: building and compiling a read takes this process
// longer than PostgreSQL takes to answer it.
import type { CompiledQuery, Kysely } from 'kysely';

/** A placeholder for a value while the query is compiled. */
class Mark {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * @param names of the values that differ between calls.
 * @param build makes the query. It must not inspect the values: they are placeholders at that time.
 */
export function compiledRead<DB, V extends object, R>(
  names: readonly (keyof V & string)[],
  build: (db: Kysely<DB>, values: V) => { compile(): CompiledQuery<R> },
): (db: Kysely<DB>, values: V) => Promise<readonly R[]> {
  let compiled: CompiledQuery<R> | undefined;
  return async (db, values) => {
    compiled ??= build(db, Object.fromEntries(names.map((name) => [name, new Mark(name)])) as unknown as V).compile();
    const given = values as Readonly<Record<string, unknown>>;
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Mark ? (given[parameter.name] ?? null) : parameter,
    );
    return (await db.executeQuery<R>({ ...compiled, parameters })).rows;
  };
}
