// The configuration of MikroORM: one PostgreSQL driver for both engines, errors translated at their source, no files
// read.
import type { AnyEntity, Configuration, DriverException, EntityClass, EntitySchema } from '@mikro-orm/core';
import { MikroORM, PostgreSqlConnection, PostgreSqlDriver, PostgreSqlPlatform } from '@mikro-orm/postgresql';
import type { Dialect } from 'kysely';
import { translated } from '../statements/errors.ts';
import { guarded } from './guarded-dialect.ts';
import type { ConnectionSlots } from './connection-slots.ts';
import { typeParsers } from '../statements/type-parsers.ts';

class GuardedConnection extends PostgreSqlConnection {
  readonly #turns: ConnectionSlots;

  constructor(config: Configuration, turns: ConnectionSlots) {
    super(config);
    this.#turns = turns;
  }

  override createKyselyDialect(
    ...options: Parameters<PostgreSqlConnection['createKyselyDialect']>
  ): ReturnType<PostgreSqlConnection['createKyselyDialect']> {
    return guarded(super.createKyselyDialect(...options), this.#turns);
  }

  override mapOptions(
    ...overrides: Parameters<PostgreSqlConnection['mapOptions']>
  ): ReturnType<PostgreSqlConnection['mapOptions']> {
    const options = super.mapOptions(...overrides);
    for (const [oid, read] of Object.entries(typeParsers)) options.types.setTypeParser(Number(oid), read);
    return options;
  }
}

class QuotingPlatform extends PostgreSqlPlatform {
  /**
   * Quotes every element (PostgreSQL, "Array Input"): otherwise the text `null` becomes NULL, and blanks at the ends
   * are lost.
   */
  override marshallArray(values: string[]): string {
    return `{${values.map((value) => `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
  }

  /**
   * A string constant, with C-style escapes if it contains a backslash (PostgreSQL, "Lexical Structure"). MikroORM's
   * own version copies a text character by character, which takes milliseconds for a long one.
   */
  override escape(value: unknown): string {
    if (typeof value !== 'string') return super.escape(value);
    const quoted = `'${value.replaceAll("'", "''")}'`;
    return value.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted;
  }
}

/** A subclass, because MikroORM creates the driver itself, and the driver its connection. */
const guardedDriver = (turns: ConnectionSlots): typeof PostgreSqlDriver =>
  class extends PostgreSqlDriver {
    protected override readonly connection: PostgreSqlConnection = new GuardedConnection(this.config, turns);
    protected override readonly platform: PostgreSqlPlatform = new QuotingPlatform();

    /** Errors are already translated by the connection; MikroORM would wrap errors that it does not know. */
    override convertException(error: Error): DriverException {
      return translated(error) as DriverException;
    }
  };

export type Orm = MikroORM;

export interface OrmOptions {
  readonly entities: readonly object[];
  /** A ready dialect (embedded), or the options of `pg`'s pool. */
  readonly driverOptions: Dialect | Readonly<Record<string, unknown>>;
  readonly turns: ConnectionSlots;
}

/** Builds the ORM without connecting. Unlike `init`, the constructor looks for no optional packages and no folders. */
export function createOrm({ entities, driverOptions, turns }: OrmOptions): Orm {
  return new MikroORM({
    driver: guardedDriver(turns),
    dbName: 'hexforge',
    entities: entities as (EntityClass<AnyEntity> | EntitySchema)[],
    driverOptions: ('createDriver' in driverOptions
      ? guarded(driverOptions as Dialect, turns, 'ordered')
      : driverOptions) as object,
    discovery: { warnWhenNoEntities: false, checkDuplicateTableNames: true },
    metadataCache: { enabled: false },
    ensureDatabase: false,
    allowGlobalContext: false,
    debug: false,
    colors: false,
    logger: () => undefined,
    extensions: [],
  });
}
