// Prepared reads of the embedded database: a recurring read is parsed once, and runs in one call into WebAssembly with
// the cached plan. Parsing and planning a read takes three times as long as running it.
import { messages, protocol, type PGlite } from '@electric-sql/pglite';
import { recurringReads } from '../statements/prepared-statements.ts';

/** A prepared statement, as PostgreSQL described it. */
interface Statement {
  readonly name: string;
  /** Types by oid. */
  readonly parameters: readonly number[];
  readonly columns: readonly { readonly name: string; readonly dataTypeID: number }[];
  /** When it was prepared, on the monotonic clock. */
  readonly since: number;
}

/**
 * Milliseconds after which a statement is prepared again: its tables may have changed, and without autovacuum
 * PostgreSQL does not replan by itself.
 */
const planned = 60_000;

const { serialize } = protocol;

export class PreparedReads {
  readonly #database: PGlite;
  readonly #nameOf = recurringReads();
  readonly #statements = new Map<string, Statement>();

  constructor(database: PGlite) {
    this.#database = database;
  }

  /** @returns the rows; undefined if the statement is not a read, or not yet known to recur. */
  async rows(sql: string, parameters: readonly unknown[]): Promise<readonly object[] | undefined> {
    const name = this.#nameOf(sql);
    if (name === undefined) return undefined;
    const known = this.#statements.get(name);
    const fresh = known !== undefined && performance.now() - known.since < planned;
    const statement = fresh ? known : await this.#prepare(name, sql);
    const { serializers } = this.#database;
    const values = parameters.map((value, index) => {
      if (value === null || value === undefined) return null;
      return serializers[statement.parameters[index] ?? 0]?.(value) ?? String(value as bigint | number | string);
    });
    const answers = await this.#send([
      serialize.bind({ statement: name, values }),
      serialize.execute(),
      serialize.sync(),
    ]);
    return answers.flatMap((answer) =>
      answer instanceof messages.DataRowMessage ? [this.#row(statement, answer.fields)] : [],
    );
  }

  /** Prepares the statement, replacing an earlier one of this name. */
  async #prepare(name: string, sql: string): Promise<Statement> {
    this.#statements.delete(name);
    const answers = await this.#send([
      serialize.close({ type: 'S', name }),
      serialize.parse({ name, text: sql }),
      serialize.describe({ type: 'S', name }),
      serialize.sync(),
    ]);
    const described = { parameters: [] as readonly number[], columns: [] as Statement['columns'] };
    for (const answer of answers) {
      if (answer instanceof messages.ParameterDescriptionMessage) described.parameters = answer.dataTypeIDs;
      if (answer instanceof messages.RowDescriptionMessage) described.columns = answer.fields;
    }
    const statement = { name, ...described, since: performance.now() };
    this.#statements.set(name, statement);
    return statement;
  }

  /** @throws {messages.DatabaseError} the first error; PostgreSQL skips the remaining messages. */
  async #send(parts: readonly Uint8Array[]): Promise<readonly object[]> {
    return this.#database.execProtocolStream(Buffer.concat(parts), { syncToFs: false });
  }

  #row({ columns }: Statement, fields: readonly (string | null)[]): object {
    const row: Record<string, unknown> = {};
    const { parsers } = this.#database;
    for (const [index, { name, dataTypeID }] of columns.entries()) {
      const text = fields[index] ?? null;
      row[name] = text === null ? null : (parsers[dataTypeID]?.(text, dataTypeID) ?? text);
    }
    return row;
  }
}
