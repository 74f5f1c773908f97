// A process that opens the embedded database of a directory, prints that it is open, and keeps it open; with `write` it
// also writes until it is killed, and prints each committed id.
import { randomUUID } from 'node:crypto';
import { systemClock, systemIds } from '#adapters/system/time';
import { openPostgres } from '#adapters/postgres/index';
import { ledgerEntities, ledgerMigrations, sqlLedger } from '#test/contracts/storage/ledger';
import { quietLog } from '#test/contracts/storage/storage-engines';

const [directory = '', mode = 'hold'] = process.argv.slice(2);
const storage = await openPostgres({
  directory,
  entities: ledgerEntities,
  clock: systemClock,
  ids: systemIds,
  log: quietLog,
});
await storage.migrate(ledgerMigrations);
const { journal } = sqlLedger(storage.database);
process.stdout.write('open\n');
if (mode === 'hold') process.stdin.resume();
while (mode === 'write') {
  const id = randomUUID();
  await storage.unitOfWork.run(() => journal.append(id, id));
  process.stdout.write(`${id}\n`);
}
