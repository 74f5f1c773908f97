// Reads of the embedded database that recur: parsed once, and each run in one call into WebAssembly, with the plan of
// the one before. To parse and plan a read takes three times as long as to run it.
import { messages, protocol, type PGlite } from '@electric-sql/pglite';
import { recurringReads } from '../prepared-statements.ts';

/** As PostgreSQL described it. */
interface Statement {
  readonly name: string;
  /** The types of its parameters and columns, by oid. */
  readonly parameters: readonly number[];
  readonly columns: readonly { readonly name: string; readonly dataTypeID: number }[];
  /** When it was prepared, on the monotonic clock. */
  readonly since: number;
}

/** Milliseconds. A plan that fitted its tables then may not fit them now, and no autovacuum tells PostgreSQL so. */
const planned = 60_000;

const { serialize } = protocol;

export class PreparedReads {
  readonly #database: PGlite;
  readonly #nameOf = recurringReads();
  readonly #statements = new Map<string, Statement>();

  constructor(database: PGlite) {
    this.#database = database;
  }

  /** @returns the rows; undefined where the statement is no read, or not known yet to recur. */
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

  /** In place of the one there is by this name. */
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

  /** @throws {messages.DatabaseError} the first there is; what follows it is skipped by PostgreSQL. */
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
