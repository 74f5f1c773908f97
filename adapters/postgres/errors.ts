// Translation of database errors (SQLSTATE) into the kernel's typed errors; no value of a row passes through here.
import { Conflict, Duplicate, HexforgeError, StillReferenced, Unavailable } from '#core/kernel/errors';

/** A start or a migration that cannot go on: one sentence, and what the operator can do about it. */
export class StorageRefused extends Error {
  override readonly name = 'StorageRefused';
  readonly remedy: string;

  constructor(message: string, remedy: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.remedy = remedy;
  }
}

/**
 * An error of the database that has no better name. `detail`, `where` and the statement are left behind: they quote
 * rows.
 */
export class DatabaseFault extends Error {
  override readonly name = 'DatabaseFault';
  /** The SQLSTATE (PostgreSQL, appendix A), or a code of the operating system. */
  readonly code: string;
  readonly constraint: string | undefined;
  readonly table: string | undefined;

  constructor({ message, code, constraint, table }: DriverError) {
    super(message);
    this.code = code ?? 'unknown';
    this.constraint = constraint;
    this.table = table;
  }
}

/** The members that `pg` and PGlite give their errors alike. */
export interface DriverError {
  readonly message: string;
  readonly code?: string | undefined;
  readonly constraint?: string | undefined;
  readonly table?: string | undefined;
}

/** SQLSTATE classes that mean: no answer now, maybe later. */
const absentClasses = ['08', '53', '57'];
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EACCES',
  'ERR_DATABASE_THREAD',
]);
/** `pg` and `pg-pool` give these no code. */
const socketMessages =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Client was closed|Cannot use a pool after calling end|Client is closed|timeout expired)/;

export function isDriverError(error: unknown): error is DriverError {
  return error instanceof Error;
}

function isAbsence({ code, message }: DriverError): boolean {
  if (code === undefined) return socketMessages.test(message);
  return socketCodes.has(code) || (code.length === 5 && absentClasses.includes(code.slice(0, 2)));
}

/** Turns what a driver threw into a typed error; what is typed already passes through. */
export function translated(error: unknown): unknown {
  if (
    error instanceof HexforgeError ||
    error instanceof StorageRefused ||
    error instanceof DatabaseFault ||
    !isDriverError(error)
  )
    return error;
  const aggregate = error instanceof AggregateError && isDriverError(error.errors[0]) ? error.errors[0] : undefined;
  const source: DriverError = aggregate ?? error;
  if (isAbsence(source)) {
    const cause = new DatabaseFault(source);
    if (source.code === '57014') return new Unavailable('The database took too long', { cause });
    return new Unavailable('The database does not answer', { cause });
  }
  if (source.code === undefined) return error;
  const fault = new DatabaseFault(source);
  if (source.code === '23505') return new Duplicate(source.constraint ?? 'unknown', fault);
  // 23001 is what PostgreSQL 18 calls a foreign key that says `restrict`; before, it was 23503 like any other.
  if (source.code === '23503' || source.code === '23001') {
    // PostgreSQL words the two sides of a foreign key differently and gives both one code.
    if (source.message.startsWith('insert or update'))
      return new Conflict('Something this refers to does not exist any more', { cause: fault });
    return new StillReferenced(source.table ?? 'unknown', fault);
  }
  return fault;
}
