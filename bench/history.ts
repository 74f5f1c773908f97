// Writes a synthetic history of any length with git fast-import, the same on every run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface HistoryOptions {
  readonly commits: number;
  /** Files in the root folder, in addition to those in subfolders. */
  readonly rootFiles: number;
  readonly folders: number;
  readonly filesPerFolder: number;
}

/** Writes `refs/heads/main` of the bare repository at `directory`, which must exist. Every tenth commit is a merge. */
export async function writeHistory(
  directory: string,
  { commits, rootFiles, folders, filesPerFolder }: HistoryOptions,
): Promise<void> {
  const git = spawn('git', ['-C', directory, 'fast-import', '--quiet'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const random = generator(42);
  const paths = [
    ...Array.from({ length: rootFiles }, (_, index) => `file-${index}.txt`),
    ...Array.from(
      { length: folders * filesPerFolder },
      (_, index) => `folder-${index % folders}/part-${Math.floor(index / folders)}.txt`,
    ),
  ];
  const contents = new Map<string, string>();
  const write = async (text: string): Promise<void> => {
    if (!git.stdin.write(text)) await once(git.stdin, 'drain');
  };
  const commit = async (
    mark: number,
    from: number | undefined,
    merge: number | undefined,
    branch: string,
  ): Promise<void> => {
    const touched =
      mark <= paths.length
        ? [paths[mark - 1] ?? '']
        : [paths[Math.floor(random() * paths.length)] ?? '', paths[Math.floor(random() * paths.length)] ?? ''];
    const message = `Change ${mark}\n`;
    let text = `commit refs/heads/${branch}\nmark :${mark}\ncommitter A Committer <committer@example.org> ${1_500_000_000 + mark * 60} +0000\ndata ${message.length}\n${message}`;
    if (from !== undefined) text += `from :${from}\n`;
    if (merge !== undefined) text += `merge :${merge}\n`;
    for (const path of new Set(touched)) {
      const body = `${(contents.get(path) ?? '').slice(-4000)}line ${mark} ${random().toString(36)}\n`;
      contents.set(path, body);
      text += `M 100644 inline ${path}\ndata ${body.length}\n${body}\n`;
    }
    await write(text);
  };
  let tip: number | undefined;
  for (let mark = 1; mark <= commits; mark++) {
    if (mark % 10 === 0 && mark > paths.length && mark < commits) {
      await commit(mark, mark - 5, undefined, 'side');
      await commit(++mark, tip, mark - 1, 'main');
    } else {
      await commit(mark, tip, undefined, 'main');
    }
    tip = mark;
  }
  git.stdin.end('done\n');
  const [code] = (await once(git, 'exit')) as [number];
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}

/** Lehmer's random number generator: small, and reproducible on every machine. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
