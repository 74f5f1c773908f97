// Opens the forge for one command if no server runs on its data directory.
import type { Configuration } from '#host/configuration/configuration';
import { askServer } from '../control/socket.ts';
import type { OpenForge } from '../server/forge.ts';
import { openLog } from '../server/log.ts';
import { examined, print, remark, type Context } from './command.ts';

export async function offline<T>(
  context: Context,
  configuration: Configuration,
  work: (open: OpenForge) => Promise<T>,
): Promise<T> {
  // Log lines about the start are left out; errors are thrown.
  const logOf = openLog(configuration.logLevel === 'info' ? 'warn' : configuration.logLevel, context.stderr);
  const { openForge } = await import('../server/forge.ts');
  const open = await openForge(configuration, { announce: (line) => print(context, line), logOf });
  try {
    return await work(open);
  } finally {
    await open.machine.stop();
    await open.storage.close();
  }
}

/**
 * Sends the request to the server that runs on the data directory. If no server runs, opens, migrates and builds the
 * forge and calls `work`. Prints which of the two it does.
 *
 * @throws {Refused | ServerRefused}
 */
export async function byServerOrHere<T>(
  context: Context,
  request: Parameters<typeof askServer>[1],
  work: (open: OpenForge) => Promise<T>,
): Promise<T> {
  const { configuration } = await examined(context);
  const answer = await askServer(configuration.dataDir, request);
  if (answer !== undefined) {
    remark(context, `Done by the running server (pid ${answer.pid})`);
    return answer.value as T;
  }
  remark(context, `No server runs on ${configuration.dataDir}: opening the database`);
  return offline(context, configuration, async (open) => {
    const { migrate } = await import('../server/forge.ts');
    await migrate(open);
    await open.machine.build();
    return work(open);
  });
}
