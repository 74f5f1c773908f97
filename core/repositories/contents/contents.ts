// Reads the contents of a repository: a folder with the last commit of each entry, a file, or the raw bytes of a file.
import type { Granted } from '#core/kernel/access/access';
import { NotFound, Unprocessable } from '#core/kernel/errors';
import { boundedEntries, type Bounded } from './answer-bounds.ts';
import { zeroOid, type GitBackend, type LastCommit, type Oid, type TreeEntry } from '../git/git-backend.ts';
import { languageOf } from '../git/languages.ts';
import type { Repository } from '../model/repository.ts';
import { isUnborn, refAndPath, splitTarget } from './revisions.ts';

/** An entry of a folder with its last commit. */
export interface DirectoryEntry {
  readonly name: string;
  readonly path: string;
  readonly type: TreeEntry['type'];
  readonly size: number;
  readonly mode: string;
  /**
   * Undefined if the walk of the history exceeded its deadline. The walk continues, and a later request returns the
   * commits.
   */
  readonly lastCommit: LastCommit | undefined;
}

/** A file, with its bytes if it is not too large. */
export interface FileBlob {
  readonly path: string;
  readonly type: 'file' | 'symlink' | 'submodule';
  /** Undefined for a file larger than `inlineLimit`, and for a submodule, whose content is in another repository. */
  readonly content: Uint8Array | undefined;
  readonly isBinary: boolean;
  readonly lang: string;
  readonly size: number;
  readonly sha: Oid;
}

/** A folder or file that exists. `tag` changes with its content, and `read` does the actual work. */
export type Contents =
  | { readonly kind: 'directory'; readonly tag: string; read(): Promise<Bounded<DirectoryEntry>> }
  | { readonly kind: 'file'; readonly tag: string; read(): Promise<FileBlob> };

/** The raw bytes of a file, which are read after `open` is called. */
export interface RawFile {
  readonly path: string;
  readonly oid: Oid;
  open(): Promise<{ readonly isBinary: boolean; readonly size: number; readonly bytes: AsyncIterable<Uint8Array> }>;
}

/** The most bytes of a file in a response, as on GitHub. Larger files can only be read raw. */
export const inlineLimit = 1024 * 1024;
/** git's own rule for binary files: a NUL byte among the first 8000 bytes. */
const probed = 8000;

type Readable = Granted<Repository, 'repo.read'>;
type Parts = { readonly git: GitBackend };
const emptyRoot = {
  kind: 'directory',
  tag: 'empty',
  read: async () => ({ items: [], truncated: false }),
} as const satisfies Contents;

/** @throws {NotFound} for an unknown ref or path. */
export const contents =
  ({ git }: Parts) =>
  async (
    { resource: repository, call }: Readable,
    { path, ref = 'HEAD' }: { readonly path: string; readonly ref?: string | undefined },
  ): Promise<Contents> => {
    const { id } = repository;
    const commit = await git.resolveCommit(id, ref);
    if (commit === undefined) {
      // Before its first push a repository is an empty folder.
      if (path === '' && (await isUnborn(git, repository, ref))) return emptyRoot;
      throw new NotFound('There is no such branch, tag or commit');
    }
    const entry = await git.entry(id, commit, path);
    if (entry === undefined) throw new NotFound('There is no such path at this ref');
    const { type } = entry;
    if (type !== 'directory')
      return {
        kind: 'file',
        tag: `file-${entry.oid}`,
        read: () => file(git, id, path, { ...entry, type }, call.signal),
      };
    return {
      kind: 'directory',
      tag: `tree-${commit}`,
      async read() {
        const [{ entries, truncated }, commits] = await Promise.all([
          git.tree(id, entry.oid),
          git.lastCommits(id, commit, path, call.signal),
        ]);
        const shown = boundedEntries(entries, path, commits);
        return {
          items: shown.items.map(({ entry: { name, type, size, mode }, lastCommit }) => ({
            name,
            path: path === '' ? name : `${path}/${name}`,
            type,
            size,
            mode,
            lastCommit,
          })),
          truncated: truncated || shown.truncated,
        };
      },
    };
  };

/** The entries of a folder. @throws {NotFound | Unprocessable} */
export const folder =
  (parts: Parts) =>
  async (
    granted: Readable,
    { path, ref }: { readonly path: string; readonly ref?: string | undefined },
  ): Promise<Bounded<DirectoryEntry>> => {
    const found = await contents(parts)(granted, { path, ref });
    if (found.kind === 'directory') return found.read();
    throw new Unprocessable(`"${path}" is no folder`, { detail: 'read_file reads files' });
  };

async function file(
  git: GitBackend,
  repositoryId: string,
  path: string,
  { type, oid }: TreeEntry & Pick<FileBlob, 'type'>,
  signal: AbortSignal,
): Promise<FileBlob> {
  const described = { path, type, lang: languageOf(path), sha: oid };
  if (type === 'submodule') return { ...described, lang: '', content: undefined, isBinary: false, size: 0 };
  const blob = await git.blob(repositoryId, oid, signal);
  const head = await take(blob.bytes, blob.size > inlineLimit ? probed : inlineLimit);
  return {
    ...described,
    content: blob.size > inlineLimit ? undefined : head,
    isBinary: looksBinary(head),
    size: blob.size,
  };
}

/** The ref and the path in `REF/PATH`, as in the address of a page, and whether the ref is a branch. */
export const locate =
  ({ git }: Parts) =>
  async (
    { resource: { id } }: Readable,
    { target }: { readonly target: string },
  ): Promise<{ readonly ref: string; readonly path: string; readonly isBranch: boolean }> => {
    const { ref, path } = await splitTarget(git, id, target);
    const [tip = zeroOid] = await git.readRefs(id, [`refs/heads/${ref}`]);
    return { ref, path, isBranch: tip !== zeroOid };
  };

/**
 * The bytes of a file. `target` is `REF/PATH`. A ref may contain slashes, so the longest prefix that is a branch or tag
 * is the ref. A symbolic link is returned as its text and is never followed.
 * @throws {NotFound} for an unknown ref or path, a folder or a submodule.
 */
export const rawFile =
  ({ git }: Parts) =>
  async ({ resource: { id }, call }: Readable, { target }: { readonly target: string }): Promise<RawFile> => {
    const { commit, path } = await refAndPath(git, id, target);
    const entry = commit === undefined ? undefined : await git.entry(id, commit, path);
    if (entry === undefined || entry.type === 'directory' || entry.type === 'submodule')
      throw new NotFound('There is no such file at this ref');
    return {
      path,
      oid: entry.oid,
      async open() {
        const { size, bytes } = await git.blob(id, entry.oid, call.signal);
        const source = bytes[Symbol.asyncIterator]();
        const first: Uint8Array[] = [];
        for (let read = 0; read < Math.min(size, probed);) {
          const chunk = await source.next();
          if (chunk.done === true) break;
          first.push(chunk.value);
          read += chunk.value.length;
        }
        return { isBinary: looksBinary(join(first)), size, bytes: rejoined(first, source) };
      },
    };
  };

export const looksBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, probed).includes(0);

export async function take(source: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= limit) break;
  }
  return join(chunks).subarray(0, limit);
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const joined = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}

async function* rejoined(first: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* first;
    for (let chunk = await rest.next(); chunk.done !== true; chunk = await rest.next()) yield chunk.value;
  } finally {
    await rest.return?.();
  }
}
