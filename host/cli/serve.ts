// `hexforge serve`: the server, until a signal ends it.
import { forgiving, openLog } from '../log.ts';
import { startForge, stopMs } from '../serve.ts';
import { examined, type Command } from './command.ts';

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
    const { lastResort } = context;
    const last = openLog('error', context.stderr)('host');
    if (lastResort !== undefined)
      lastResort.tell = ({ error: err, why, ...facts }) =>
        last.error({ ...facts, err }, `${endings[why]}: the process ends, and recovers at its next start`);
    const { configuration, listed } = await examined(context);
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
        }, stopMs).unref();
        // The second time is for an operator who does not want to wait.
        process.once(name, () => process.exit(1));
      });
    }
    const forge = await startForge(configuration, {
      listed,
      stdout: context.stdout,
      stderr: context.stderr,
      ...(lastResort !== undefined && {
        attribution: lastResort.attribution,
        opened: (machine) => {
          lastResort.take = (error) => machine.stray(error);
        },
      }),
    });
    log.info({ signal: await signal.promise }, 'stopping');
    await forge.stop();
    log.info({}, 'stopped');
    return 0;
  },
};
