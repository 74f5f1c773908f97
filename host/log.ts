// The log: JSON lines on standard error, a short readable form on a terminal.
import { pino } from 'pino';
import type { HostKeys } from '#config/schema';
import type { Log } from '#core/kernel/log';

export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Members that would hold a secret if one were logged by mistake. */
const redacted = [
  'password',
  'token',
  'secret',
  'authorization',
  'cookie',
  'url.password',
  'headers.authorization',
  'headers.cookie',
];

/** A log per plugin, all on one sink. */
export function openLog(level: HostKeys['log_level'], sink: Sink): (plugin: string) => Log {
  const out = sink.isTTY === true ? { write: (line: string) => sink.write(readable(line)) } : sink;
  const root = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: { paths: redacted, censor: '********' } },
    { write: (line: string) => void out.write(line) },
  );
  return (plugin) => root.child({ name: plugin });
}

const names: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/** `12:00:01 info  identity: message key=value`, the stack of an error below. */
export function readable(line: string): string {
  const { level, time, name, msg, err, ...members }: Record<string, unknown> = JSON.parse(line);
  const facts = Object.entries(members)
    .map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('');
  const stack =
    typeof err === 'object' && err !== null
      ? `\n${String(Reflect.get(err, 'stack') ?? Reflect.get(err, 'message'))}`
      : '';
  // Control characters of what clients sent must not reach the operator's terminal.
  return `${printable(`${String(time).slice(11, 19)} ${(names[Number(level)] ?? '?').padEnd(5)} ${String(name)}: ${String(msg)}${facts}`)}${printable(stack, '\n')}\n`;
}

const printable = (text: string, allowed = ''): string =>
  text.replaceAll(/\p{Cc}/gu, (character) => (allowed.includes(character) ? character : '?'));
