// `hexforge serve`: the server, until a signal ends it.
import type { Configuration } from '#config/configuration';
import type { Log } from '#core/kernel/log';
import { Attribution, outsidePlugins } from '../attribution.ts';
import { forgiving, openLog } from '../log.ts';
import { startForge, stopMs } from '../serve.ts';
import type { Stray } from '../strays.ts';
import { startWatchdog } from '../watchdog.ts';
import { examined, exitSoftware, type Command } from './command.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'runs the server until SIGTERM or SIGINT',
  example: 'HEXFORGE_DATA_DIR=/var/lib/hexforge hexforge serve',
  async run(context) {
    let attribution = new Attribution([]);
    // Before the plugins are loaded: what they do then may loop as well.
    const { configuration } = await examined(context, (loaded) => {
      attribution = watched(loaded, openLog(loaded.logLevel, context.stderr)('host'));
    });
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
    let take = (error: unknown): Stray => ({ plugin: attribution.culprit(error), contained: false });
    process.on('uncaughtException', (error) => {
      const { plugin, contained } = take(error);
      if (contained) return;
      log.error(
        { ...(plugin === undefined ? {} : { plugin }), err: error },
        'uncaught exception: the server ends, and recovers at its next start',
      );
      process.exit(exitSoftware);
    });
    const forge = await startForge(configuration, {
      stdout: context.stdout,
      stderr: context.stderr,
      attribution,
      opened: (machine) => {
        take = (error) => machine.stray(error);
      },
    });
    log.info({ signal: await signal.promise }, 'stopping');
    await forge.stop();
    log.info({}, 'stopped');
    return 0;
  },
};

/** Has a watchdog see to outside plugins; without them nothing runs that was not tested with the server. */
function watched(configuration: Configuration, log: Log): Attribution {
  const outside = outsidePlugins(configuration);
  const attribution = new Attribution(outside);
  const limit = configuration.limits.loop;
  if (outside.length > 0)
    startWatchdog({
      limit,
      bite: () => {
        const here = new Error(`in the midst of this after ${limit / 1000} s`);
        const plugin = attribution.culprit(here);
        log.error(
          { ...(plugin === undefined ? {} : { plugin }), seconds: limit / 1000, err: here },
          'the server stood still in one piece of code: the process ends, and recovers at its next start',
        );
        process.exit(exitSoftware);
      },
    });
  return attribution;
}
