// The interface of a command, and functions that several commands share.
import type { Configuration } from '#host/configuration/configuration';
import { ConfigurationProblems, loadConfiguration } from '#host/configuration/load';
import type { Sink } from '../server/log.ts';
import { listPlugins, type Listed } from '../loading/plugins.ts';
import { problemOf, Refused, type Problem } from '../problems/problem.ts';
import type { LastResort } from './last-resort.ts';

/** EX_USAGE and EX_SOFTWARE of sysexits.h. */
export const exitUsage = 64;
export const exitSoftware = 70;

export interface Flag {
  readonly type: 'boolean' | 'string';
  /** The placeholder of the value in the help, such as `FILE`. */
  readonly value?: string;
  readonly description: string;
}

export interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Asks a question on the terminal; absent if there is no terminal. */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** Absent in tests, where several commands share one process. */
  readonly lastResort?: LastResort;
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

export interface Command {
  /** One or two words: `serve`, `admin reset-password`. */
  readonly name: string;
  readonly summary: string;
  readonly example: string;
  /** Names of the required arguments. */
  readonly takes?: readonly string[];
  /** Names of the optional arguments that follow. */
  readonly may?: readonly string[];
  readonly flags?: Readonly<Record<string, Flag>>;
  /** @returns the exit code. @throws {Refused} */
  run(context: Context): Promise<number>;
}

export const print = ({ stdout }: Context, line: string): void => void stdout.write(`${line}\n`);
/** Prints a message to standard error, because scripts read the result from standard output. */
export const remark = ({ stderr }: Context, line: string): void => void stderr.write(`hexforge: ${line}\n`);

/**
 * Asks on the terminal, unless the flag `--yes` is set.
 * @param texts `go` names what goes in the message without a terminal; `kept` is the message after a "no".
 * @returns the exit code of a command that must not continue; undefined if it may.
 */
export async function declined(
  context: Context,
  { question, go, kept }: Readonly<Record<'question' | 'go' | 'kept', string>>,
): Promise<number | undefined> {
  if (context.flags['yes'] === true) return undefined;
  if (context.confirm === undefined) {
    remark(context, `There is no terminal to ask on. Where ${go}, say so with --yes.`);
    return exitUsage;
  }
  if (await context.confirm(question)) return undefined;
  print(context, kept);
  return 1;
}

export interface Examined {
  /** Undefined if the file cannot be read. */
  readonly configuration: Configuration | undefined;
  readonly listed: Listed | undefined;
  /** The problems of the configuration and of the plugins. */
  readonly problems: readonly Problem[];
}

/** Called with a valid configuration before the plugins are loaded. */
type BeforePlugins = (configuration: Configuration) => Promise<void>;

/** Loads the configuration and the plugins, and collects all problems without running anything. */
export async function examine(context: Context, beforePlugins?: BeforePlugins): Promise<Examined> {
  const { configuration, problems } = await loadAnyway(context);
  if (configuration === undefined) return { configuration, listed: undefined, problems };
  // Watched before the plugins are loaded, because loading them may already block the event loop.
  context.lastResort?.watch(configuration);
  if (problems.length === 0) await beforePlugins?.(configuration);
  const listed = await listPlugins(configuration);
  return { configuration, listed, problems: [...problems, ...listed.problems] };
}

/** Loads the configuration; a faulty one without its faulty keys. */
async function loadAnyway({ environment, cwd, flags }: Context): Promise<Omit<Examined, 'listed'>> {
  const file = typeof flags['config'] === 'string' ? { file: flags['config'] } : {};
  try {
    return { configuration: await loadConfiguration({ environment, cwd, ...file }), problems: [] };
  } catch (error) {
    if (error instanceof ConfigurationProblems) return { configuration: error.partial, problems: error.problems };
    throw error;
  }
}

/** The configuration and the plugins for a command that runs them. @throws {Refused} with all problems. */
export async function examined(
  context: Context,
  beforePlugins?: BeforePlugins,
): Promise<{ readonly configuration: Configuration; readonly listed: Listed }> {
  const { configuration, listed, problems } = await examine(context, beforePlugins);
  if (configuration === undefined || listed === undefined || problems.length > 0) throw new Refused(problems);
  return { configuration, listed };
}

/** The problems of an error that ended a command; undefined if the error is a bug. */
export function problemsOf(error: unknown): readonly Problem[] | undefined {
  if (error instanceof Refused) return error.problems;
  const problem = problemOf(error, { code: 'failed', message: '', remedy: '' });
  return problem.remedy === '' ? undefined : [problem];
}

/** Prints rows with columns padded to their widest cell. */
export function printTable(context: Context, rows: readonly (readonly string[])[]): void {
  for (const line of table(rows)) print(context, line);
}

/** Formats rows with columns padded to their widest cell. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
