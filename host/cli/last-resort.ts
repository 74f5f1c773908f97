// Handles the abnormal end of a process that runs plugins, for every command: uncaught errors, a blocked event loop,
// and `process.exit` by a plugin are reported with the plugin's name instead of by Node.
import type { Configuration } from '#host/configuration/configuration';
import { Attribution, outsidePlugins } from '../watch/attribution.ts';
import { thrownAt } from '../loading/load-failures.ts';
import { sentence } from '../problems/problem.ts';
import type { UncaughtError } from '../watch/uncaught-errors.ts';
import { firstLine, readable } from '../problems/thrown.ts';
import { startWatchdog } from '../watch/watchdog.ts';
import { exitSoftware } from './command.ts';

/** Why the process ends; `plugin` is set if the responsible plugin is known. */
export interface Ending {
  readonly plugin: string | undefined;
  readonly error: Error;
  readonly why: 'loop' | 'uncaught' | 'exit';
  /** For a loop: the time limit. */
  readonly seconds?: number;
}

/** The message for the user of a command. */
export function sentenceOf({ plugin, error, why, seconds }: Ending): string {
  if (plugin === undefined) return `This should not have happened: ${firstLine(error.message)}`;
  const did = {
    loop: `stood still for ${seconds} s in one piece of code`,
    uncaught: `threw what nobody caught: ${firstLine(error.message)}`,
    exit: 'ended the process',
  }[why];
  const at = thrownAt(error);
  return sentence({
    message: `Plugin "${plugin}" ${did}${at === undefined ? '' : ` at ${at}`}`,
    remedy: `Mend it, or disable the plugin with HEXFORGE_PLUGINS=-${plugin}`,
  });
}

/** An error with the plugin's stack, without frames of this file. */
function here(message: string): Error {
  const error = new Error(message);
  error.stack = (error.stack ?? '')
    .split('\n')
    .filter((line) => !line.includes(import.meta.url))
    .join('\n');
  return error;
}

export class LastResort {
  /** Reports the end: a command prints a line, the server logs it. */
  tell: (ending: Ending) => void;
  /** Hands an uncaught error to the machine, which may continue without the plugin. */
  take: (error: unknown) => UncaughtError = (error) => ({ plugin: this.attribution.culprit(error), contained: false });
  /** Identifies the watched plugins. */
  attribution = new Attribution([]);
  #isOver = false;

  constructor(tell: (ending: Ending) => void) {
    this.tell = tell;
    process.on('uncaughtException', (thrown) => {
      const error = readable(thrown);
      const { plugin, contained } = this.take(error);
      if (!contained) this.#end({ plugin, error, why: 'uncaught' });
    });
    process.on('exit', () => {
      if (this.#isOver) return;
      const error = here('the process was ended here');
      const plugin = this.attribution.culprit(error);
      if (plugin === undefined) return;
      this.tell({ plugin, error, why: 'exit' });
      process.exitCode = exitSoftware;
    });
  }

  /**
   * Starts to watch the plugins. Without external plugins there is no watchdog, because all other code is tested with
   * the program.
   */
  watch(configuration: Configuration): void {
    const outside = outsidePlugins(configuration);
    this.attribution = new Attribution(outside);
    const seconds = configuration.limits.loop / 1000;
    if (outside.length === 0) return;
    startWatchdog({
      limit: configuration.limits.loop,
      bite: () => {
        const error = here(`in the midst of this after ${seconds} s`);
        const plugin = this.attribution.culprit(error);
        return this.#end({ plugin, error, why: 'loop', seconds });
      },
    });
  }

  #end(ending: Ending): never {
    this.#isOver = true;
    this.tell(ending);
    process.exit(exitSoftware);
  }
}
