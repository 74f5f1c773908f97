// Tests the log of a start on a terminal.
import t from 'tap';
import { openLog } from '#host/server/log';
import { isTerminal, withoutMigrations } from '#host/server/terminal';

void t.test('lines about migrations are replaced by one, all others are logged', async (t) => {
  const written: string[] = [];
  const announced: string[] = [];
  const logOf = withoutMigrations(
    openLog('info', { write: (text) => written.push(text) }),
    (line) => void announced.push(line),
  );
  const storage = logOf('storage');
  storage.info({ plugin: 'a', migrations: ['001-a'] }, 'applying migrations');
  storage.info({ plugin: 'a', migration: '001-a' }, 'migration applied');
  storage.info({}, 'opened');
  storage.warn({ migration: '001-a' }, 'slow');
  storage.error({}, 'failed');
  storage.debug({}, 'hidden at this level');
  logOf('a').info({ migration: 'a' }, 'of a plugin');
  t.strictSame(announced, ['preparing the database']);
  t.strictSame(
    written.map((line) => (JSON.parse(line) as { readonly msg: string }).msg),
    ['opened', 'slow', 'failed', 'of a plugin'],
  );
});

void t.test('a terminal is one if a person reads both outputs', async (t) => {
  const sink = (isTTY?: boolean) => ({ write: () => undefined, ...(isTTY !== undefined && { isTTY }) });
  t.equal(isTerminal(sink(true), sink(true)), true);
  t.equal(isTerminal(sink(), sink(true)), false);
  t.equal(isTerminal(sink(true), sink(false)), false);
});
