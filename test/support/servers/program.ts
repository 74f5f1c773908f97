// Runs programs to their end from a small process, because forking a test process with several forges takes longer than
// most of these programs run.
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { Launcher } from '#adapters/git-native/process/launcher/launcher';

export interface Ran {
  /** Null if it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  /** The beginning of standard error. */
  readonly stderr: string;
}

export interface RunOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  /** If aborted, the program is killed with every process it started. */
  readonly signal?: AbortSignal;
}

const launcher = new Launcher();

/** Resolves for any exit code. Rejects if the program cannot be started. */
export async function run(
  program: string,
  args: readonly string[],
  { environment, input, signal }: RunOptions,
): Promise<Ran> {
  const { stdin, stdout, ended, kill } = await launcher.launch(program, args, environment);
  const onAbort = (): void => kill('SIGKILL');
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  const chunks: Buffer[] = [];
  stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const drained = stdout.closed ? undefined : once(stdout, 'close');
  stdin.end(input ?? '');
  const { code, stderr } = await ended;
  await drained;
  signal?.removeEventListener('abort', onAbort);
  return { code, stdout: Buffer.concat(chunks).toString('utf8'), stderr };
}
