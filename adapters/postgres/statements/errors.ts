// Translates database errors (SQLSTATE) into the kernel's typed errors, without passing on values of rows.
import { Conflict, Duplicate, HexforgeError, StillReferenced, Unavailable } from '#core/kernel/errors';
import { exhaustedBy } from '#core/kernel/access/resources';

/** A start or a migration that cannot continue: one sentence, and a remedy for the operator. */
export class StorageRefused extends Error {
  override readonly name = 'StorageRefused';
  readonly remedy: string;

  constructor(message: string, remedy: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.remedy = remedy;
  }
}

/**
 * A database error without a more specific type. `detail`, `where` and the statement are omitted, because they quote
 * rows.
 */
export class DatabaseFault extends Error {
  override readonly name = 'DatabaseFault';
  /** The SQLSTATE (PostgreSQL, appendix A), or an error code of the operating system. */
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

/** The members that errors of `pg` and PGlite have in common. */
export interface DriverError {
  readonly message: string;
  readonly code?: string | undefined;
  readonly constraint?: string | undefined;
  readonly table?: string | undefined;
}

/** SQLSTATEs of temporary failures, with the sentence and remedy for each. */
const absences: Readonly<Record<string, readonly [sentence: string, remedy: string]>> = {
  '25006': ['The database takes no writes now', 'Ask the administrator whether it is a standby or set to read-only'],
  '25P03': ['The database transaction was left open too long', 'Try again later'],
  '53200': ['The database is out of memory', 'Try again later'],
  '53300': ['The database takes no more connections', 'Try again later; the administrator can raise max_connections'],
  '55P03': ['The database waited too long for changes of others', 'Try again later'],
  '57014': ['The database took too long', 'Try again later'],
  '57P01': ['The database is stopping', 'Try again later'],
  '57P02': ['The database is starting again after a crash', 'Try again later'],
  '57P03': ['The database is starting or stopping', 'Try again later'],
  '58030': ['The disk that holds the database fails', 'Ask the administrator to look at the log of the database'],
};
/** SQLSTATE class "transaction rollback": a deadlock or a serialization conflict. All changes were rolled back. */
const rollbackClass = '40';
/** SQLSTATE classes of temporary unavailability. */
const absentClasses = ['08', '53', '57'];
/** SQLSTATE disk_full. */
const diskFull = '53100';
const unreachable = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EACCES',
]);
const socketCodes = new Set([...unreachable, 'ECONNRESET', 'EPIPE', 'ERR_DATABASE_THREAD']);
const detail = 'Try again later; the log of the server says more';
/** Messages of `pg` and `pg-pool` errors that have no code. */
const socketMessages =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Client was closed|Cannot use a pool after calling end|Client is closed|timeout expired)/;

function isAbsence({ code, message }: DriverError): boolean {
  if (code === undefined) return socketMessages.test(message);
  return socketCodes.has(code) || (code.length === 5 && absentClasses.includes(code.slice(0, 2)));
}

/**
 * Converts a driver's error to a typed error; typed errors are returned unchanged. If an Unavailable error was caused
 * by a driver's error with a more specific type, that one is returned.
 */
export function translated(error: unknown): unknown {
  if (error instanceof Unavailable && error.cause !== undefined) {
    const cause = translated(error.cause);
    if (cause === error.cause) return error;
    if (cause instanceof HexforgeError) return cause;
    const { message, detail, retryAfter } = error;
    return new Unavailable(message, {
      ...(detail !== undefined && { detail }),
      ...(retryAfter !== undefined && { retryAfter }),
      cause,
    });
  }
  const typed = [HexforgeError, StorageRefused, DatabaseFault].some((type) => error instanceof type);
  if (typed || !(error instanceof Error)) return error;
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  const source: DriverError = first instanceof Error ? first : error;
  if (source.code === undefined && !isAbsence(source)) return error;
  const fault = new DatabaseFault(source);
  const absence = absences[fault.code];
  if (absence !== undefined) return new Unavailable(absence[0], { detail: absence[1], cause: fault });
  const spent = exhaustedBy(fault.code === diskFull ? 'ENOSPC' : fault.code, 'the database', fault);
  if (spent !== undefined) return spent;
  if (unreachable.has(fault.code)) return new Unavailable('The database cannot be reached', { detail, cause: fault });
  if (isAbsence(source)) return new Unavailable('The database does not answer', { detail, cause: fault });
  if (fault.code.startsWith(rollbackClass))
    return new Unavailable('The database gave this up for another change made at the same time', {
      detail: 'Nothing of it was saved; try again',
      retryAfter: 1,
      cause: fault,
    });
  if (source.code === '23505') return new Duplicate(source.constraint ?? 'unknown', fault);
  // PostgreSQL 18 uses 23001 for a foreign key with `restrict`; earlier versions use 23503 as for all foreign keys.
  if (source.code === '23503' || source.code === '23001') {
    // Both sides of a foreign key have the same code and differ only in the message.
    if (source.message.startsWith('insert or update'))
      return new Conflict('Something this refers to does not exist any more', { cause: fault });
    return new StillReferenced(source.table ?? 'unknown', fault);
  }
  return fault;
}

/** Whether a statement exceeded its time limit. */
export const tookTooLong = (error: unknown): boolean =>
  error instanceof Unavailable && error.cause instanceof DatabaseFault && error.cause.code === '57014';

/** Whether the database rolled the transaction back because of a concurrent one: a retry may succeed. */
export const gaveUp = (error: unknown): boolean =>
  error instanceof Unavailable && error.cause instanceof DatabaseFault && error.cause.code.startsWith(rollbackClass);
