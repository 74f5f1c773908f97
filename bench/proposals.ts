// Writes branches to compare and merge with git fast-import, the same on every run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A branch of one commit that writes whole files, on top of another commit. */
export interface Proposal {
  readonly branch: string;
  /** A commit or branch; if absent, the branch starts with this commit. */
  readonly from?: string;
  readonly files: Iterable<readonly [path: string, content: string]>;
}

/** Writes the branches to the bare repository at `directory`, which must exist. */
export async function writeProposals(directory: string, proposals: Iterable<Proposal>): Promise<void> {
  const git = spawn('git', ['-C', directory, 'fast-import', '--quiet'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const write = async (text: string): Promise<void> => {
    if (!git.stdin.write(text)) await once(git.stdin, 'drain');
  };
  for (const { branch, from, files } of proposals) {
    await write(
      `commit refs/heads/${branch}\ncommitter A Committer <committer@example.org> 1600000000 +0000\ndata ${branch.length}\n${branch}\n`,
    );
    if (from !== undefined) await write(`from ${from}\n`);
    for (const [path, content] of files) await write(`M 100644 inline ${path}\ndata ${content.length}\n${content}\n`);
  }
  git.stdin.end('done\n');
  const [code] = (await once(git, 'exit')) as [number];
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}

/** A text in which every twentieth line starts with `what`. */
export const text = (lines: number, what: string): string =>
  Array.from({ length: lines }, (_, line) => `${line % 20 === 0 ? what : 'line'} ${line} of a file\n`).join('');
