// Runs the stock git client as a user does, without the configuration of this machine.
import type { Buffer } from 'node:buffer';
import { run, type Ran } from '#test/support/servers/program';

export const clientEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  // Compressing random content only costs time.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'core.compression',
  GIT_CONFIG_VALUE_0: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

/**
 * Runs git to its end and returns its exit code. If aborted, it is killed with every process it started, because
 * git-remote-http would continue.
 */
export async function git(
  folder: string,
  args: readonly string[],
  options: {
    readonly input?: string | Buffer;
    readonly environment?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  } = {},
): Promise<Ran> {
  const { environment, ...rest } = options;
  return await run('git', ['-C', folder, ...args], { ...rest, environment: { ...clientEnvironment, ...environment } });
}

/** Runs git and returns its trimmed output. @throws {Error} if git fails. */
export async function must(
  folder: string,
  args: readonly string[],
  options: Parameters<typeof git>[2] = {},
): Promise<string> {
  const { code, stdout, stderr } = await git(folder, args, options);
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout.trim();
}
