// The log: JSON lines on standard error, a short readable form on a terminal.
import { pino, stdSerializers, type Logger } from 'pino';
import type { HostKeys } from '#config/schema';
import type { Log } from '#core/kernel/log';
import { readable as readableError } from './thrown.ts';

export interface Sink {
  /** @param done told when the text is written, or why it is not. */
  write(text: string, done?: (error?: Error | null) => void): unknown;
  /** Of a stream: what cannot be written is an event too, which ends the process where nobody hears it. */
  on?(event: 'error', heard: () => void): unknown;
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

export interface LogOptions {
  /** Lines of 20 ms are written together: for what has a line for every request. */
  readonly gathered?: boolean;
}

/** A log per plugin, all on one sink. */
export function openLog(level: HostKeys['log_level'], sink: Sink): (plugin: string, options?: LogOptions) => Log {
  forgiving(sink);
  /** Since the last line that was written. */
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

/** Milliseconds that a line waits for others, and lines that go without waiting. */
const wait = 20;
const enough = 100;

/** A write wakes whoever reads the log, which may cost more than the request that a line tells of. */
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

/** A disk that is full or a reader that is gone costs what is written there, and nothing else. */
export function forgiving(sink: Sink): void {
  if (forgiven.has(sink)) return;
  forgiven.add(sink);
  sink.on?.('error', () => undefined);
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
