// Runs stock git for one client of the churn or the drill: makes commits, and returns the outcome of a push, fetch or
// clone.
import { spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * `absent`: not found. `rejected`: the ref was rejected. `changed`: between two requests of the command the name came
 * to point to another repository. `cut off`: the answer was incomplete. `broken`: any other failure.
 */
export type Outcome = 'done' | 'absent' | 'rejected' | 'changed' | 'cut off' | 'broken';

export interface Cloned {
  readonly refs: ReadonlyMap<string, string>;
  readonly head: string;
  /** The content of the file `identity` of `main`. */
  readonly identity: string | undefined;
}

export class ChurnGit {
  readonly #folder: string;
  readonly #who: string;
  readonly #seconds: number;
  #counter = 0;

  private constructor(folder: string, who: string, seconds: number) {
    this.#folder = folder;
    this.#who = who;
    this.#seconds = seconds;
  }

  /** @param seconds the time limit of one command. */
  static async create(folder: string, who: string, seconds = 30): Promise<ChurnGit> {
    await mkdir(folder, { recursive: true });
    const git = new ChurnGit(folder, who, seconds);
    await git.sure('init', '-q', '--bare', '.');
    return git;
  }

  /** A commit whose file `identity` has the id of its repository. `bulk`: number of incompressible bytes. */
  async commit(identity: string, parents: readonly string[], bulk = 0): Promise<string> {
    const number = ++this.#counter;
    const message = `${this.#who} ${number}`;
    const [first, ...more] = parents;
    const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
    const noise =
      bulk === 0
        ? ''
        : Buffer.from(crypto.getRandomValues(new Uint8Array(Math.min(bulk, 65_536))))
            .toString('hex')
            .repeat(Math.ceil(bulk / 131_072));
    const { stdout } = await this.#must(
      ['fast-import', '--quiet', '--force'],
      [
        'commit refs/churn/last\nmark :1\n',
        `committer ${this.#who} <${this.#who}@example.org> ${Math.floor(Date.now() / 1000)} +0000\n`,
        data(message),
        ...(first === undefined ? [] : [`from ${first}\n`]),
        ...more.map((parent) => `merge ${parent}\n`),
        `M 100644 inline identity\n${data(identity)}`,
        `M 100644 inline ${this.#who}\n${data(`${message}\n${noise}`)}`,
        'get-mark :1\n',
      ].join(''),
    );
    return stdout.trim();
  }

  async push(url: string, oid: string, ref: string): Promise<{ readonly outcome: Outcome; readonly stderr: string }> {
    const { code, stderr } = await this.run('push', '-q', url, `${oid}:${ref}`);
    return { outcome: code === 0 ? 'done' : outcomeOf(stderr), stderr };
  }

  /** The commit of a branch; undefined if it does not exist. */
  async fetch(
    url: string,
    branch: string,
  ): Promise<{ readonly outcome: Outcome; readonly oid: string | undefined; readonly stderr: string }> {
    const { code, stderr } = await this.run('fetch', '-q', url, `+refs/heads/${branch}:refs/churn/fetched`);
    if (code === 0)
      return { outcome: 'done', oid: (await this.sure('rev-parse', 'refs/churn/fetched')).trim(), stderr };
    return {
      outcome: stderr.includes("couldn't find remote ref") ? 'done' : outcomeOf(stderr),
      oid: undefined,
      stderr,
    };
  }

  async refs(
    url: string,
  ): Promise<{ readonly outcome: Outcome; readonly refs: ReadonlyMap<string, string>; readonly stderr: string }> {
    const { code, stdout, stderr } = await this.run('ls-remote', '-q', '--refs', url);
    return { outcome: code === 0 ? 'done' : outcomeOf(stderr), refs: pairs(stdout), stderr };
  }

  async clone(
    url: string,
  ): Promise<{ readonly outcome: Outcome; readonly cloned: Cloned | undefined; readonly stderr: string }> {
    const target = join(this.#folder, `clone-${++this.#counter}`);
    try {
      const { code, stderr } = await this.run('clone', '-q', '--mirror', url, target);
      if (code !== 0) return { outcome: outcomeOf(stderr), cloned: undefined, stderr };
      const inside = (...args: readonly string[]): Promise<Ran> => this.run('--git-dir', target, ...args);
      const identity = await inside('show', 'main:identity');
      const refs = pairs((await inside('for-each-ref', '--format=%(objectname)\t%(refname)')).stdout);
      return {
        outcome: 'done',
        cloned: {
          refs,
          head: (await inside('symbolic-ref', 'HEAD')).stdout.trim(),
          identity: identity.code === 0 ? identity.stdout.trim() : undefined,
        },
        stderr,
      };
    } finally {
      await rm(target, { recursive: true, force: true });
    }
  }

  /** The given commits that are not reachable from a ref of the repository. */
  async unreachable(url: string, ref: string, commits: readonly string[]): Promise<readonly string[]> {
    await this.sure('fetch', '-q', url, `+${ref}:refs/churn/fetched`);
    const reached = new Set((await this.sure('rev-list', 'refs/churn/fetched')).split('\n'));
    return commits.filter((oid) => !reached.has(oid));
  }

  async sure(...args: readonly string[]): Promise<string> {
    return (await this.#must(args)).stdout;
  }

  run(...args: readonly string[]): Promise<Ran> {
    return this.#run(args);
  }

  async #must(args: readonly string[], input?: string): Promise<Ran> {
    const ran = await this.#run(args, input);
    if (ran.code !== 0) throw new Error(`git ${args[0]} ended with ${ran.code}: ${ran.stderr}`);
    return ran;
  }

  #run(args: readonly string[], input?: string): Promise<Ran> {
    const child = spawn('git', ['-c', 'gc.auto=0', ...args], {
      cwd: this.#folder,
      timeout: this.#seconds * 1000,
      killSignal: 'SIGKILL',
      stdio: 'pipe',
      env: {
        PATH: process.env['PATH'],
        HOME: this.#folder,
        LC_ALL: 'C',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        GIT_ASKPASS: 'true',
      },
    });
    const said = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said.stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said.stderr += chunk;
    });
    child.stdin.on('error', () => undefined).end(input);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) =>
        resolve({
          ...said,
          code,
          stderr: signal === null ? said.stderr : `${said.stderr}\nno end after ${this.#seconds} s`,
        }),
      );
    });
  }
}

function outcomeOf(stderr: string): Outcome {
  if (/error: 5\d\d|HTTP 5\d\d|server could not|no end after/.test(stderr)) return 'broken';
  // Deleted before the first request, or before the second, for which git prints only the status.
  if (/^fatal: repository '.*' not found$|^error: RPC failed; HTTP 404 /m.test(stderr)) return 'absent';
  if (/\[(remote )?rejected\]/.test(stderr)) return 'rejected';
  if (/RPC failed; curl 18|early EOF|hung up|unexpected disconnect/.test(stderr)) return 'cut off';
  return stderr.includes('not our ref') ? 'changed' : 'broken';
}

const pairs = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const [oid, ref] = line.split('\t');
      return oid === undefined || ref === undefined ? [] : [[ref, oid] as const];
    }),
  );
