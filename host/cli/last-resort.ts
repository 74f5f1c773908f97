// The last resort of a process that runs plugins, whichever command it is: errors that nobody caught, code that never
// ends, and an end that a plugin makes are told with its name, and not as Node tells them.
import type { Configuration } from '#config/configuration';
import { Attribution, outsidePlugins } from '../attribution.ts';
import { thrownAt } from '../load-failures.ts';
import { sentence } from '../problem.ts';
import type { Stray } from '../strays.ts';
import { firstLine, readable } from '../thrown.ts';
import { startWatchdog } from '../watchdog.ts';
import { exitSoftware } from './command.ts';

/** Why the process ends; `plugin` where it is known whose fault it is. */
export interface Ending {
  readonly plugin: string | undefined;
  readonly error: Error;
  readonly why: 'loop' | 'uncaught' | 'exit';
  /** Of a loop: how long it was watched. */
  readonly seconds?: number;
}

/** For who reads a command's lines. */
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

/** An error whose stack is that of the plugin, without us who look. */
function here(message: string): Error {
  const error = new Error(message);
  error.stack = (error.stack ?? '')
    .split('\n')
    .filter((line) => !line.includes(import.meta.url))
    .join('\n');
  return error;
}

export class LastResort {
  /** Tells of the end: a command says it in a line, the server in its log. */
  tell: (ending: Ending) => void;
  /** Has the machine take an error that nobody caught: it may go on without that plugin. */
  take: (error: unknown) => Stray = (error) => ({ plugin: this.attribution.culprit(error), contained: false });
  /** Of the plugins that are watched. */
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

  /** From now on; without outside plugins nothing runs that was not tested with the program. */
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
