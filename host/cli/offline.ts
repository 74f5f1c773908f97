// Opens the forge for one offline command, while no server runs on its data directory.
import type { Configuration } from '#config/configuration';
import { openForge, type OpenForge } from '../forge.ts';
import { openLog } from '../log.ts';
import type { Context } from './command.ts';
import { print } from './command.ts';

export async function offline<T>(
  context: Context,
  configuration: Configuration,
  work: (open: OpenForge) => Promise<T>,
): Promise<T> {
  // What a server would log of its start is noise here; what goes wrong is thrown.
  const logOf = openLog(configuration.logLevel === 'info' ? 'warn' : configuration.logLevel, context.stderr);
  const open = await openForge(configuration, { announce: (line) => print(context, line), logOf });
  try {
    return await work(open);
  } finally {
    await open.machine.stop();
    await open.storage.close();
  }
}
