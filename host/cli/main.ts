// The command line: finds the command, parses its flags, runs it, and turns errors into a message and an exit code.
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { HexforgeError } from '#core/kernel/errors';
import { exhaustedResource } from '#core/kernel/access/resources';
import { ServerRefused } from '../control/socket.ts';
import { forgiving } from '../server/log.ts';
import { didYouMean } from '../problems/nearest.ts';
import { exitRefused, sentence } from '../problems/problem.ts';
import { readable } from '../problems/thrown.ts';
import { version } from '../version.ts';
import { check } from './check.ts';
import {
  exitSoftware,
  exitUsage,
  print,
  problemsOf,
  remark,
  type Command,
  type Context,
  type Flag,
} from './command.ts';
import { config } from './config.ts';
import { help, helpOf } from './help.ts';
import { LastResort, sentenceOf } from './last-resort.ts';
import { migrate } from './migrate.ts';
import { newPlugin } from './new-plugin.ts';
import { drop, parked, replay } from './dead-letters.ts';
import { plugins } from './plugins.ts';
import { pluginsExplain } from './plugins-explain.ts';
import { purge } from './purge.ts';
import { indexStatus, reindexCommand } from './reindex.ts';
import { adminResetPassword, rotateKeyCommand, signingKeysRotate } from './secrets.ts';
import { serve } from './serve.ts';

export const commands: readonly Command[] = [
  serve,
  check,
  plugins,
  pluginsExplain,
  parked,
  replay,
  drop,
  purge,
  newPlugin,
  migrate,
  config,
  adminResetPassword,
  rotateKeyCommand,
  signingKeysRotate,
  reindexCommand,
  indexStatus,
];

/** The flags that every command accepts. */
export const commonFlags: Readonly<Record<string, Flag>> = {
  config: { type: 'string', value: 'FILE', description: 'the configuration file, over HEXFORGE_CONFIG' },
  help: { type: 'boolean', description: 'what the command does' },
};

export type Surroundings = Omit<Context, 'flags' | 'positionals'>;

/** Wrong use of the command line; the message explains the right use. */
class WrongUse extends Error {}

/** @returns the exit code: 0, 64 for wrong use, 78 for a refusal, 1 for a command that failed, 70 for a bug. */
export async function main(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const context: Context = { ...surroundings, flags: {}, positionals: [] };
  try {
    return await dispatch(args, context);
  } catch (error) {
    if (error instanceof WrongUse) {
      remark(context, error.message);
      return exitUsage;
    }
    const problems = problemsOf(error);
    if (problems !== undefined) {
      for (const problem of problems) remark(context, sentence(problem));
      return exitRefused;
    }
    const told = exhaustedResource(error, 'the data of the server') ?? error;
    if (told instanceof HexforgeError || told instanceof ServerRefused) {
      remark(
        context,
        sentence({ message: told.message, remedy: told instanceof HexforgeError ? (told.detail ?? '') : '' }),
      );
      return 1;
    }
    remark(context, `This should not have happened: ${readable(error).message}`);
    if (context.environment['HEXFORGE_LOG_LEVEL'] === 'debug' && error instanceof Error)
      remark(context, error.stack ?? '');
    return exitSoftware;
  }
}

async function dispatch(args: readonly string[], context: Context): Promise<number> {
  const [first, second] = args;
  if (first === '--version') return (print(context, version), 0);
  if (first === undefined || first === '--help' || first === 'help')
    return showHelp(args.slice(1), context, first === undefined);
  const command =
    commands.find(({ name }) => name === `${first} ${second ?? ''}`) ?? commands.find(({ name }) => name === first);
  if (command === undefined) throw unknownCommand(args);
  const { flags, positionals } = read(command, args.slice(command.name.split(' ').length));
  if (flags['help'] === true) return showHelp(command.name.split(' '), context, false);
  const takes = command.takes ?? [];
  const missing = takes[positionals.length];
  if (missing !== undefined) throw new WrongUse(`"${command.name}" needs ${missing}. Example: ${command.example}`);
  const extra = positionals[takes.length + (command.may?.length ?? 0)];
  if (extra !== undefined && commands.some(({ name }) => name.startsWith(`${command.name} `)))
    throw unknownCommand(args);
  if (extra !== undefined)
    throw new WrongUse(`"${command.name}" does not take "${extra}". Example: ${command.example}`);
  return command.run({ ...context, flags, positionals });
}

function showHelp(words: readonly string[], context: Context, astray: boolean): number {
  const name = words.join(' ');
  const command = commands.find((candidate) => candidate.name === name);
  if (name !== '' && command === undefined) throw unknownCommand(words);
  for (const line of command === undefined ? help(commands) : helpOf(command, commonFlags)) print(context, line);
  return astray ? exitUsage : 0;
}

function unknownCommand(args: readonly string[]): WrongUse {
  const words = args.filter((word) => !word.startsWith('-')).slice(0, 2);
  const known = commands.map(({ name }) => name);
  // `admin resetpassword` is compared with commands of two words, `srve /data` with commands of one.
  const [one = args[0] ?? '', two] = [words[0], words.slice(0, 2).join(' ')];
  const group = known.some((name) => name.startsWith(`${one} `));
  const asked = group ? two : one;
  return new WrongUse(`There is no command "${asked}". ${didYouMean(asked, known, 'hexforge --help lists all')}`);
}

function read(command: Command, args: readonly string[]): Pick<Context, 'flags' | 'positionals'> {
  const known = { ...command.flags, ...commonFlags };
  const options = Object.fromEntries(Object.entries(known).map(([name, { type }]) => [name, { type }]));
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const flags: Record<string, string | boolean> = {};
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const flag = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (flag === undefined)
      throw new WrongUse(
        `"${command.name}" has no flag ${token.rawName}. ${didYouMean(
          token.rawName,
          Object.keys(known).map((name) => `--${name}`),
          `hexforge ${command.name} --help lists all`,
        )}`,
      );
    if (flag.type === 'string' && (token.value === undefined || token.value === ''))
      throw new WrongUse(`${token.rawName} needs a value: ${token.rawName} ${flag.value ?? 'VALUE'}`);
    if (flag.type === 'boolean' && token.value !== undefined) throw new WrongUse(`${token.rawName} takes no value`);
    flags[token.name] = token.value ?? true;
  }
  return { flags, positionals };
}

async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}

/** Runs the command line in this process; called by `bin/hexforge.js`. Never returns. */
export async function run(): Promise<never> {
  forgiving(process.stderr);
  const code = await main(process.argv.slice(2), {
    lastResort: new LastResort((ending) => void process.stderr.write(`hexforge: ${sentenceOf(ending)}\n`)),
    environment: process.env,
    cwd: process.cwd(),
    stdout: process.stdout,
    stderr: process.stderr,
    ...(process.stdin.isTTY && process.stdout.isTTY ? { confirm } : {}),
  });
  process.exit(code);
}
