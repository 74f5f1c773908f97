// Errors of the database and its connection as named errors: 503 if it is unavailable, 507 if its disk is full.
import t from 'tap';
import { translated } from '#adapters/postgres/statements/errors';
import { HexforgeError, Unavailable } from '#core/kernel/errors';

const thrown = (code: string | undefined, message = 'secret row'): Error => Object.assign(new Error(message), { code });

void t.test(
  'a database that is unavailable, full or out of a resource is named, with a remedy and without row data',
  (t) => {
    for (const [code, kind, sentence] of [
      ['53100', 'insufficient_storage', 'The disk that holds the database is full'],
      ['ENOSPC', 'insufficient_storage', 'The disk that holds the database is full'],
      ['EDQUOT', 'insufficient_storage', 'The disk quota for the database is used up'],
      ['53200', 'unavailable', 'The database is out of memory'],
      ['53300', 'unavailable', 'The database takes no more connections'],
      ['25006', 'unavailable', 'The database takes no writes now'],
      ['25P03', 'unavailable', 'The database transaction was left open too long'],
      ['55P03', 'unavailable', 'The database waited too long for changes of others'],
      ['57014', 'unavailable', 'The database took too long'],
      ['57P01', 'unavailable', 'The database is stopping'],
      ['57P02', 'unavailable', 'The database is starting again after a crash'],
      ['57P03', 'unavailable', 'The database is starting or stopping'],
      ['58030', 'unavailable', 'The disk that holds the database fails'],
      ['ECONNREFUSED', 'unavailable', 'The database cannot be reached'],
      ['ENOTFOUND', 'unavailable', 'The database cannot be reached'],
      ['ECONNRESET', 'unavailable', 'The database does not answer'],
      ['08006', 'unavailable', 'The database does not answer'],
      ['EMFILE', 'unavailable', 'The server has as many files open as it may'],
      ['40P01', 'unavailable', 'The database gave this up for another change made at the same time'],
      ['40001', 'unavailable', 'The database gave this up for another change made at the same time'],
      ['ERR_DATABASE_THREAD', 'unavailable', 'The database does not answer'],
    ] as const) {
      const error = translated(thrown(code));
      t.ok(error instanceof HexforgeError, code);
      t.match(error, { kind, message: sentence, detail: /./ }, code);
      t.notMatch((error as HexforgeError).detail, /secret/);
    }
    t.match(translated(thrown(undefined, 'Connection terminated unexpectedly')), { kind: 'unavailable' });
    t.match(translated(new AggregateError([thrown('ECONNREFUSED')])), { message: 'The database cannot be reached' });
    const unknown = new Error('a fault of ours');
    t.equal(translated(unknown), unknown);
    t.match(translated(thrown('42P01')), { name: 'DatabaseFault' });
    t.end();
  },
);

void t.test('an Unavailable error caused by the database is translated by its cause, if that has a name', (t) => {
  const log = (cause: unknown): Unavailable => new Unavailable('The log takes no entry', { detail: 'Later', cause });
  t.match(translated(log(thrown('40P01'))), { message: /^The database gave this up/, retryAfter: 1 }, 'retried later');
  t.match(translated(log(thrown('53100'))), { kind: 'insufficient_storage' }, 'a full disk is named');
  const refused = translated(log(thrown('23514')));
  t.match(refused, { kind: 'unavailable', message: 'The log takes no entry', detail: 'Later' });
  t.match((refused as Error).cause, { name: 'DatabaseFault', code: '23514' });
  for (const whole of [log(undefined), log(new Error('a fault of ours')), log(translated(thrown('42P01')))])
    t.equal(translated(whole), whole);
  t.end();
});
