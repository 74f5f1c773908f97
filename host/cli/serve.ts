// `hexforge serve`: the server, until a signal ends it.
import { forgiving, openLog } from '../log.ts';
import { startForge } from '../serve.ts';
import { examined, exitSoftware, type Command } from './command.ts';

/** Document D, "Running it": a clean stop takes at most so long; what is left then is killed with the process. */
const mostMs = 10_000;

export const serve: Command = {
  name: 'serve',
  summary: 'runs the server until SIGTERM or SIGINT',
  example: 'HEXFORGE_DATA_DIR=/var/lib/hexforge hexforge serve',
  async run(context) {
    const { configuration } = await examined(context);
    const log = openLog(configuration.logLevel, context.stderr)('host');
    // The line that says where it listens may find nobody too.
    forgiving(context.stdout);
    const signal = Promise.withResolvers<string>();
    for (const name of ['SIGTERM', 'SIGINT'] as const) {
      process.once(name, () => {
        signal.resolve(name);
        setTimeout(() => {
          log.error({}, 'the stop took too long: what still ran was cut off');
          process.exit(1);
        }, mostMs).unref();
        // The second time is for an operator who does not want to wait.
        process.once(name, () => process.exit(1));
      });
    }
    process.once('uncaughtException', (error) => {
      log.error({ err: error }, 'uncaught exception: the server ends, and recovers at its next start');
      process.exit(exitSoftware);
    });
    const forge = await startForge(configuration, { stdout: context.stdout, stderr: context.stderr });
    log.info({ signal: await signal.promise }, 'stopping');
    await forge.stop();
    log.info({}, 'stopped');
    return 0;
  },
};
