// Runs the program as an operator does: a child process with its own environment, whose output and end can be awaited.
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Teardown } from '../forge.ts';

const program = fileURLToPath(new URL('../../../bin/hexforge.js', import.meta.url));

export interface CommandOptions {
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: the program of this project. */
  readonly program?: string;
}

export class Command {
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | NodeJS.Signals | null>;
  #watchers: (() => void)[] = [];
  stdout = '';
  stderr = '';

  constructor(t: Teardown, commandLine: readonly string[], options: CommandOptions) {
    // The test runner adds loaders to NODE_OPTIONS of every child. `env` removes them and then becomes the program.
    this.#child = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, options.program ?? program, ...commandLine], {
      cwd: options.cwd,
      env: { PATH: process.env['PATH'], HOME: options.cwd, ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString();
      this.#changed();
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
      this.#changed();
    });
    this.#exit = new Promise((resolve) =>
      this.#child.once('close', (code, signal) => {
        resolve(code ?? signal);
        this.#changed();
      }),
    );
    t.teardown(async () => {
      if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
      await this.#exit;
    });
  }

  #changed(): void {
    for (const watcher of this.#watchers.splice(0)) watcher();
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** The lines of standard output so far. */
  get lines(): readonly string[] {
    return this.stdout.split('\n').filter((line) => line !== '');
  }

  /** Resolves to the URL of the line `listening on URL`. @throws {Error} if the program ends without it. */
  async listening(): Promise<string> {
    for (;;) {
      const url = /^listening on (\S+)\n/m.exec(this.stdout)?.[1];
      if (url !== undefined) return url;
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(
          `the server ended with ${this.#child.exitCode} before it listened:\n${this.stdout}${this.stderr}`,
        );
      await new Promise<void>((resolve) => {
        this.#watchers.push(resolve);
      });
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves when all output has arrived, to the exit code or to the signal that ended the process. */
  ended(): Promise<number | NodeJS.Signals | null> {
    return this.#exit;
  }
}

/** Runs a command to its end. */
export async function hexforge(
  t: Teardown,
  commandLine: readonly string[],
  options: CommandOptions,
): Promise<{ readonly code: number | NodeJS.Signals | null; readonly stdout: string; readonly stderr: string }> {
  const command = new Command(t, commandLine, options);
  const code = await command.ended();
  return { code, stdout: command.stdout, stderr: command.stderr };
}
