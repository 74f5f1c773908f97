// Database and disk failures as seen by the operator: in `/readyz`, at a start, and on the command line.
import t from 'tap';
import { InsufficientStorage } from '#core/kernel/errors';
import { readiness } from '#host/contributions/probes';
import { problemOf, sentence } from '#host/problems/problem';

const ready = (checkDatabase: () => Promise<string | undefined>) =>
  readiness({ lives: [], phase: () => 'running', checkDatabase, probeMs: 5_000, parked: async () => [] })();

void t.test('a database that accepts no writes is degraded; an unavailable one is named with the reason', async (t) => {
  t.strictSame(await ready(async () => undefined), { ready: true, degraded: [] });
  t.strictSame(await ready(async () => 'The disk that holds the database is full: it takes no writes'), {
    ready: true,
    degraded: ['database'],
  });
  const failing = (error: Error) => ready(() => Promise.reject(error));
  t.match(await failing(new InsufficientStorage('The disk that holds the database is full')), {
    ready: false,
    failing: 'database',
    detail: 'The disk that holds the database is full',
  });
  t.match(await failing(new Error('postgres://user:secret@host')), { detail: 'The database does not answer' });
});

void t.test('a start on a full disk is one sentence with the remedy', (t) => {
  const error = Object.assign(new Error("ENOSPC: no space left on device, write '/srv/x'"), { code: 'ENOSPC' });
  const problem = problemOf(error, { code: 'plugin_start_failed', message: 'Plugin "x" did not start', remedy: '' });
  t.equal(
    sentence(problem),
    'Plugin "x" did not start: The disk that holds the data of the server is full. Ask the administrator to free space on it.',
  );
  t.end();
});
