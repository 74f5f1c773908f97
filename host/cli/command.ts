// The form of a command of the command line, and the few things all of them do alike.
import type { Configuration } from '#config/configuration';
import { ConfigurationProblems, loadConfiguration } from '#config/load';
import type { Sink } from '../log.ts';
import { listPlugins, type Listed } from '../plugins.ts';
import { problemOf, Refused, type Problem } from '../problem.ts';
import type { LastResort } from './last-resort.ts';

/** EX_USAGE and EX_SOFTWARE of sysexits.h. */
export const exitUsage = 64;
export const exitSoftware = 70;

export interface Flag {
  readonly type: 'boolean' | 'string';
  /** What stands for the value in the help: `FILE`. */
  readonly value?: string;
  readonly description: string;
}

export interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Asks on the terminal; absent where there is none. */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** Absent where a command does not have the process for itself: in tests. */
  readonly lastResort?: LastResort;
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

export interface Command {
  /** One word or two: `serve`, `admin reset-password`. */
  readonly name: string;
  readonly summary: string;
  readonly example: string;
  /** Names of what follows the command, all of them needed. */
  readonly takes?: readonly string[];
  /** Names of what may follow these. */
  readonly may?: readonly string[];
  readonly flags?: Readonly<Record<string, Flag>>;
  /** @returns the exit code. @throws {Refused} */
  run(context: Context): Promise<number>;
}

export const print = ({ stdout }: Context, line: string): void => void stdout.write(`${line}\n`);
/** For what is said beside the result: scripts read standard output. */
export const remark = ({ stderr }: Context, line: string): void => void stderr.write(`hexforge: ${line}\n`);

const load = ({ environment, cwd, flags }: Context): Promise<Configuration> =>
  loadConfiguration({ environment, cwd, ...(typeof flags['config'] === 'string' ? { file: flags['config'] } : {}) });

export interface Examined {
  /** Undefined where the file itself cannot be read. */
  readonly configuration: Configuration | undefined;
  readonly listed: Listed | undefined;
  /** Of the configuration and of the plugins, together. */
  readonly problems: readonly Problem[];
}

/** Is told of a configuration without fault before the plugins are loaded. */
type BeforePlugins = (configuration: Configuration) => Promise<void>;

/** Everything there is to say about the configuration before anything runs. */
export async function examine(context: Context, beforePlugins?: BeforePlugins): Promise<Examined> {
  const { configuration, problems } = await loadAnyway(context);
  if (configuration === undefined) return { configuration, listed: undefined, problems };
  // Before the plugins are loaded: what they do then may loop as well.
  context.lastResort?.watch(configuration);
  if (problems.length === 0) await beforePlugins?.(configuration);
  const listed = await listPlugins(configuration);
  return { configuration, listed, problems: [...problems, ...listed.problems] };
}

async function loadAnyway(
  context: Context,
): Promise<{ readonly configuration: Configuration | undefined; readonly problems: readonly Problem[] }> {
  try {
    return { configuration: await load(context), problems: [] };
  } catch (error) {
    if (error instanceof ConfigurationProblems) return { configuration: error.partial, problems: error.problems };
    throw error;
  }
}

/** The configuration of a command that goes on to run something. @throws {Refused} with all problems. */
export async function examined(
  context: Context,
  beforePlugins?: BeforePlugins,
): Promise<{ readonly configuration: Configuration; readonly listed: Listed }> {
  const { configuration, listed, problems } = await examine(context, beforePlugins);
  if (configuration === undefined || listed === undefined || problems.length > 0) throw new Refused(problems);
  return { configuration, listed };
}

/** The problems of an error that a command ended with, or undefined where it is a fault of ours. */
export function problemsOf(error: unknown): readonly Problem[] | undefined {
  if (error instanceof Refused) return error.problems;
  const problem = problemOf(error, { code: 'failed', message: '', remedy: '' });
  return problem.remedy === '' ? undefined : [problem];
}

/** Columns padded to their widest cell. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
