// The stock git client with its own home: no configuration, credentials or prompt except what a test provides.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../folder.ts';
import type { Teardown } from '../forge.ts';
import { run, type Ran } from './program.ts';

export interface StockGit {
  /** The folder in which it runs. */
  readonly folder: string;
  /** Runs git and returns its output. @throws {Error} with git's output if it fails. */
  git(...commandLine: readonly string[]): Promise<string>;
  /** Runs git and returns how it ended. */
  ran(...commandLine: readonly string[]): Promise<Ran>;
  /** The same client in a subfolder. */
  at(folder: string): StockGit;
  /** Writes files and commits them together with the index. @returns the commit. */
  commit(message: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<string>;
}

export async function stockGit(t: Teardown, environment: Readonly<Record<string, string>> = {}): Promise<StockGit> {
  const home = await temporaryFolder(t);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
    ...environment,
  };
  const inside = (folder: string): StockGit => {
    const ran = (...commandLine: readonly string[]): Promise<Ran> =>
      run('git', ['-C', folder, ...commandLine], { environment: env });
    const git = async (...commandLine: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await ran(...commandLine);
      if (code !== 0) throw new Error(`git ${commandLine.join(' ')} ended with ${code}: ${stderr}`);
      return stdout;
    };
    return {
      folder,
      git,
      ran,
      at: (below) => inside(join(folder, below)),
      async commit(message, files) {
        for (const [path, content] of Object.entries(files)) {
          await mkdir(dirname(join(folder, path)), { recursive: true });
          await writeFile(join(folder, path), content);
        }
        // Not `--all`, which would drop a submodule that is not checked out.
        if (Object.keys(files).length > 0) await git('add', '--', ...Object.keys(files));
        await git('commit', '--quiet', '--allow-empty', '--message', message);
        return (await git('rev-parse', 'HEAD')).trim();
      },
    };
  };
  return inside(home);
}

/** A work tree in `folder` with `main` checked out and nothing committed. */
export async function workTree(git: StockGit, folder: string): Promise<StockGit> {
  await git.git('init', '--quiet', '--initial-branch=main', folder);
  return git.at(folder);
}

/** The URL of a repository with a user and a secret in it. */
export function remote(
  base: string,
  repository: string,
  credentials?: { readonly username: string; readonly password: string },
): string {
  const url = new URL(`/${repository}.git`, base);
  if (credentials !== undefined) {
    url.username = encodeURIComponent(credentials.username);
    url.password = encodeURIComponent(credentials.password);
  }
  return url.href;
}
