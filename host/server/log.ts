// The log: JSON lines on standard error, and a short readable form on a terminal.
import { pino, stdSerializers, type Logger } from 'pino';
import type { HostKeys } from '#host/configuration/schema';
import type { Log } from '#core/kernel/services/log';
import { readable as readableError } from '../problems/thrown.ts';

export interface Sink {
  /** @param done Called when the text has been written, or with an error. */
  write(text: string, done?: (error?: Error | null) => void): unknown;
  /** For streams: a write error is also an event, and an `error` event without a listener ends the process. */
  on?(event: 'error', heard: () => void): unknown;
  readonly isTTY?: boolean;
}

/** Members that would contain a secret if they were logged by mistake. */
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

export interface LogOptions {
  /** Collects lines for 20 ms and writes them together; for logs with a line per request. */
  readonly gathered?: boolean;
}

/** Makes one log per plugin, all writing to one sink. */
export function openLog(level: HostKeys['log_level'], sink: Sink): (plugin: string, options?: LogOptions) => Log {
  forgiving(sink);
  /** Lines lost since the last successful write. */
  let lost = 0;
  const written = (lines: number, error?: Error | null): void => {
    if (error) {
      lost += lines;
      return;
    }
    if (lost === 0) return;
    const missing = lost;
    lost = 0;
    root.warn({ name: 'host', lines: missing }, 'the log could not be written for a while: lines of it are lost');
  };
  const write = (lines: readonly string[]): void =>
    void sink.write((sink.isTTY === true ? lines.map(readable) : lines).join(''), (error) => {
      written(lines.length, error);
    });
  const root = rootLog(level, (line) => write([line]));
  const gathering = rootLog(level, together(write));
  return (plugin, { gathered = false } = {}) => (gathered ? gathering : root).child({ name: plugin });
}

/** How many milliseconds a line is collected, and how many lines are written without waiting. */
const wait = 20;
const enough = 100;

/**
 * Collects lines, because each write wakes the process that reads the log, which may cost more than the logged request.
 */
function together(write: (lines: readonly string[]) => void): (line: string) => void {
  let lines: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    process.off('exit', flush);
    const whole = lines;
    lines = [];
    write(whole);
  };
  return (line) => {
    lines.push(line);
    if (lines.length === enough) flush();
    if (lines.length !== 1) return;
    process.once('exit', flush);
    timer = setTimeout(flush, wait);
  };
}

const rootLog = (level: HostKeys['log_level'], write: (line: string) => void): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: redacted, censor: '********' },
      serializers: { err: (thrown: unknown) => stdSerializers.err(readableError(thrown)) },
    },
    { write },
  );

const forgiven = new WeakSet<Sink>();

/** Ignores write errors of the sink: on a full disk or a closed pipe, log lines are lost and nothing else fails. */
export function forgiving(sink: Sink): void {
  if (forgiven.has(sink)) return;
  forgiven.add(sink);
  sink.on?.('error', () => undefined);
}

const names: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/** Formats as `12:00:01 info  identity: message key=value`, with the stack of an error below. */
export function readable(line: string): string {
  const { level, time, name, msg, err, ...members }: Record<string, unknown> = JSON.parse(line);
  const facts = Object.entries(members)
    .map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('');
  const stack =
    typeof err === 'object' && err !== null
      ? `\n${String(Reflect.get(err, 'stack') ?? Reflect.get(err, 'message'))}`
      : '';
  // Control characters sent by clients must not reach the operator's terminal.
  return `${printable(`${String(time).slice(11, 19)} ${(names[Number(level)] ?? '?').padEnd(5)} ${String(name)}: ${String(msg)}${facts}`)}${printable(stack, '\n')}\n`;
}

const printable = (text: string, allowed = ''): string =>
  text.replaceAll(/\p{Cc}/gu, (character) => (allowed.includes(character) ? character : '?'));
