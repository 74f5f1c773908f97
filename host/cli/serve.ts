// The command `hexforge serve`: runs the server until a signal ends it.
import { existsSync } from 'node:fs';
import type { Log } from '#core/kernel/services/log';
import { forgiving, openLog } from '../server/log.ts';
import type { Forge } from '../server/serve.ts';
import { StorageAhead } from '../storage/storage-ahead.ts';
import { isTerminal } from '../server/terminal.ts';
import { examined, print, type Command, type Context } from './command.ts';

const endings = {
  loop: 'the server stood still in one piece of code',
  uncaught: 'uncaught exception',
  exit: 'a plugin ended the process',
};

export const serve: Command = {
  name: 'serve',
  summary: 'runs the server until SIGTERM or SIGINT',
  example: 'HEXFORGE_DATA_DIR=/var/lib/hexforge hexforge serve',
  async run(context) {
    const ahead = new StorageAhead();
    let running: Started;
    try {
      running = await started(context, ahead);
    } finally {
      // Closes the storage if the start was refused before it was taken. An error is ignored, because the process ends.
      await ahead.drop().catch(() => undefined);
    }
    const { forge, log, signal } = running;
    log.info({ signal: await signal }, 'stopping');
    await forge.stop();
    log.info({}, 'stopped');
    return 0;
  },
};

interface Started {
  readonly forge: Forge;
  readonly log: Log;
  /** Resolves to the name of the signal that ends the server. */
  readonly signal: Promise<string>;
}

/** @throws {Refused}; nothing but `ahead` is left running then. */
async function started(context: Context, ahead: StorageAhead): Promise<Started> {
  const { lastResort, stdout, stderr } = context;
  // Files created by this process must not be readable by other users.
  process.umask(0o077);
  const last = openLog('error', stderr)('host');
  if (lastResort !== undefined)
    lastResort.tell = ({ error: err, why, ...facts }) =>
      last.error({ ...facts, err }, `${endings[why]}: the process ends, and recovers at its next start`);
  const { configuration, listed } = await examined(context, (known) => {
    if (isTerminal(stdout, stderr) && !existsSync(known.dataDir))
      print(context, `preparing a new forge in ${known.dataDir}`);
    return ahead.begin(known, openLog(known.logLevel, stderr)('storage'));
  });
  // Imported here, so that the storage starts before these modules are loaded.
  const { startForge, stopMs } = await import('../server/serve.ts');
  const log = openLog(configuration.logLevel, stderr)('host');
  // Standard output may be closed when the listening address is printed.
  forgiving(stdout);
  const signal = Promise.withResolvers<string>();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => {
      signal.resolve(name);
      setTimeout(() => {
        log.error({}, 'the stop took too long: what still ran was cut off');
        process.exit(1);
      }, stopMs).unref();
      // A second signal ends the process at once.
      process.once(name, () => process.exit(1));
    });
  }
  const forge = await startForge(configuration, {
    listed,
    ahead,
    stdout,
    stderr,
    ...(lastResort !== undefined && {
      attribution: lastResort.attribution,
      opened: (machine) => {
        lastResort.take = (error) => machine.stray(error);
      },
    }),
  });
  return { forge, log, signal: signal.promise };
}
