// A start on a terminal: few lines for a person, in place of a line for each migration.
import type { Log } from '#core/kernel/services/log';
import type { LogOptions, Sink } from './log.ts';

type LogOf = (plugin: string, options?: LogOptions) => Log;

/** Whether a person reads both outputs. */
export const isTerminal = (stdout: Sink, stderr: Sink): boolean => stdout.isTTY === true && stderr.isTTY === true;

/** Replaces the lines about migrations by one, before the first of them. All other lines are logged. */
export function withoutMigrations(logOf: LogOf, announce: (line: string) => void): LogOf {
  let announced = false;
  return (plugin, options) => {
    const log = logOf(plugin, options);
    if (plugin !== 'storage') return log;
    return {
      debug: (members, message) => log.debug(members, message),
      info(members, message) {
        if (!('migration' in members || 'migrations' in members)) log.info(members, message);
        else if (!announced) {
          announced = true;
          announce('preparing the database');
        }
      },
      warn: (members, message) => log.warn(members, message),
      error: (members, message) => log.error(members, message),
    };
  };
}
