// Writes or removes one file through the API: a commit on top of a branch, under the same rules as a push.
import { isLonger } from '#core/kernel/characters';
import type { Granted } from '#core/kernel/access/access';
import { Conflict, NotFound, Unprocessable, ValidationFailed } from '#core/kernel/errors';
import { trimEnd } from '#core/kernel/trim';
import { branchWrite, type BranchWriteParts } from './branch-write.ts';
import { zeroOid, type GitBackend, type Oid, type TreeEntry } from '../git/git-backend.ts';
import type { CommitRecord, FileWrite } from '../git/git-history.ts';
import { checkIdentity, identityText } from './identity-text.ts';
import type { RepositoryParts } from '../model/parts.ts';
import { newBranch, unusedRef } from '../push/move-refs.ts';
import type { Repository } from '../model/repository.ts';
import { isUnborn } from './revisions.ts';

/** A file to be written or removed as one commit. */
export interface WriteCommand {
  readonly path: string;
  readonly message: string;
  /** Absent: the default branch. */
  readonly branch?: string | undefined;
  /** The branch, tag or commit from which `branch` begins as a new one. Absent: the branch exists already. */
  readonly from?: string | undefined;
  /** The oid of the blob that is replaced or removed. Absent for a new file. */
  readonly sha?: string | undefined;
  /** Absent: the caller. */
  readonly author?:
    | {
        readonly name: string;
        readonly email: string;
        readonly date?: Date | undefined;
        /** The offset of the date, as in `Signature`. */
        readonly offset?: string | undefined;
      }
    | undefined;
  /** Undefined: the file is removed. */
  readonly content: Uint8Array | undefined;
}

/** The result of writing or removing a file. */
export interface Written {
  /** Whether the file is new. */
  readonly created: boolean;
  /** Undefined if the file was removed. */
  readonly file: { readonly path: string; readonly oid: Oid; readonly size: number; readonly mode: string } | undefined;
  readonly commit: CommitRecord;
}

type Parts = BranchWriteParts & Pick<RepositoryParts, 'users'>;
type Writable = Granted<Repository, 'repo.write'>;
type Planned = Omit<FileWrite, 'ref' | 'parent' | 'file'>;

/** A concurrent push can move the branch between the read and the write, and make an attempt fail. */
const attempts = 5;
const longestMessage = 64 * 1024;

/** @throws {ValidationFailed | NotFound | Conflict | Forbidden | Unprocessable} */
export function writeContents(parts: Parts): (granted: Writable, command: WriteCommand) => Promise<Written> {
  /**
   * The last write of each branch. Writes of this process to the same branch run one after another; concurrent ones
   * would fail because the branch moved.
   */
  const turns = new Map<string, Promise<unknown>>();
  return async (granted, command) => {
    const { resource: repository } = granted;
    const plan = await planned(parts, granted, command);
    const branch = command.branch ?? repository.defaultBranch;
    if (command.from === undefined && !parts.git.isLegalName('branch', branch)) throw noBranch(branch);
    const ref = `refs/heads/${branch}`;
    const key = `${repository.id}:${ref}`;
    const turn = (turns.get(key) ?? Promise.resolve())
      .catch(() => undefined)
      .then(async () => {
        for (let attempt = 0; attempt < attempts; attempt += 1) {
          granted.call.signal.throwIfAborted();
          const written = await once(parts, granted, command, plan, ref);
          if (written !== undefined) return written;
        }
        throw new Conflict('The branch moves too fast', {
          detail: `"${branch}" was moved by others each time; try again`,
        });
      });
    turns.set(key, turn);
    try {
      return await turn;
    } finally {
      if (turns.get(key) === turn) turns.delete(key);
    }
  };
}

/** Undefined if the branch moved during the attempt. */
async function once(
  parts: Parts,
  granted: Writable,
  command: WriteCommand,
  plan: Planned,
  ref: string,
): Promise<Written | undefined> {
  const { git } = parts;
  const { resource: repository } = granted;
  const { id } = repository;
  const { parent, old } = await beginning(git, repository, command, ref);
  const replaced = parent === zeroOid ? undefined : await standing(parts, id, parent, command.path);
  checkReplaced(command, replaced);

  const mode = replaced?.mode === '100755' ? '100755' : '100644';
  const file = command.content === undefined ? undefined : ({ content: command.content, mode } as const);
  const written = await branchWrite(parts, granted, { ref, old }, async (hooks) => {
    const outcome = await git.write(id, { ...plan, ref, parent, old, file }, hooks);
    return { ...outcome, oid: outcome.commit.oid };
  });
  if (written === undefined) return undefined;
  const { commit, blob } = written;
  return {
    created: replaced === undefined,
    file:
      file === undefined || blob === undefined
        ? undefined
        : { path: command.path, oid: blob, size: file.content.length, mode },
    commit,
  };
}

/** The parent of the commit and the current tip of the branch. @throws {ValidationFailed | NotFound | Conflict} */
async function beginning(
  git: GitBackend,
  repository: Repository,
  { from, content }: WriteCommand,
  ref: string,
): Promise<{ readonly parent: Oid; readonly old: Oid }> {
  const branch = ref.slice('refs/heads/'.length);
  if (from !== undefined) {
    const { commit } = await unusedRef(git, repository, newBranch(branch, from));
    return { parent: commit, old: zeroOid };
  }
  const [tip = zeroOid] = await git.readRefs(repository.id, [ref]);
  if (tip === zeroOid && (content === undefined || !(await isUnborn(git, repository, branch)))) throw noBranch(branch);
  return { parent: tip, old: tip };
}

/** The file at the path, or undefined. @throws {Unprocessable} if no file can be written there. */
async function standing({ git }: Parts, id: string, commit: Oid, path: string): Promise<TreeEntry | undefined> {
  const found = await git.entry(id, commit, path);
  if (found === undefined) {
    await checkWay(git, id, commit, path.split('/'));
    return undefined;
  }
  if (found.type === 'file') return found;
  throw new Unprocessable('What stands at the path is no file', { detail: `path: "${path}" is a ${found.type}` });
}

/**
 * Checks that a missing path can be created. A path can have thousands of segments and each lookup starts at the root,
 * so the longest existing prefix is found by binary search.
 * @throws {Unprocessable} if that prefix is not a folder.
 */
async function checkWay(git: GitBackend, id: string, commit: Oid, segments: readonly string[]): Promise<void> {
  let [present, missing] = [0, segments.length];
  while (missing - present > 1) {
    const length = Math.floor((present + missing) / 2);
    const way = segments.slice(0, length).join('/');
    const entry = await git.entry(id, commit, way);
    if (entry === undefined) missing = length;
    else if (entry.type === 'directory') present = length;
    else
      throw new Unprocessable('The path leads through what is no folder', {
        detail: `path: "${way}" is a ${entry.type}`,
      });
  }
}

/** @throws {Conflict | NotFound} */
function checkReplaced({ sha, content, path }: WriteCommand, replaced: TreeEntry | undefined): void {
  if (replaced === undefined && content === undefined) throw new NotFound('There is no such file on this branch');
  if (replaced === undefined && sha !== undefined)
    throw new Conflict('The file is gone', {
      detail: `"sha": there is no "${path}" on this branch; leave "sha" out to create it`,
    });
  if (replaced === undefined || sha?.toLowerCase() === replaced.oid) return;
  throw new Conflict(sha === undefined ? 'The file exists already' : 'The file has changed meanwhile', {
    detail: `"sha" must be that of the file as it is: "${replaced.oid}"`,
  });
}

async function planned(
  { users }: Parts,
  { call }: Writable,
  { path, message, author }: WriteCommand,
): Promise<Planned> {
  checkPath(path);
  if (message.trim() === '' || isLonger(message, longestMessage) || message.includes('\0')) {
    throw new ValidationFailed('The message is not allowed', {
      detail: `"message" must be text of at most ${longestMessage} characters and hold no NUL`,
    });
  }
  const caller = call.caller.kind === 'user' ? call.caller : { id: '', username: 'anonymous' };
  const displayName = (await users.byIds([caller.id])).get(caller.id)?.displayName ?? '';
  // Uses a generated address, because the addresses of accounts are private.
  const committer = {
    name: identityText(displayName) || caller.username,
    email: `${caller.username}@users.noreply`,
    date: call.now,
  };
  return {
    path,
    message: trimEnd(message, (character) => character === '\n'),
    committer,
    author:
      author === undefined
        ? committer
        : {
            name: checkIdentity('author.name', author.name),
            email: checkIdentity('author.email', author.email),
            date: author.date ?? call.now,
            offset: author.offset,
          },
  };
}

const longestPath = 4096;
const longestName = 255;
/** Names that some file systems treat as the `.git` folder. */
const reserved = /^(\.git|git~\d+)[ .]*(:.*)?$/i;

/** @throws {ValidationFailed} */
function checkPath(path: string): void {
  const wrong =
    path === ''
      ? 'must name a file'
      : isLonger(path, longestPath)
        ? `must be at most ${longestPath} characters`
        : /[\\\uFFFD\p{Cc}]/u.test(path) || !path.isWellFormed()
          ? 'must hold no backslash, no control character and no U+FFFD'
          : path
              .split('/')
              .map(wrongName)
              .find((reason) => reason !== undefined);
  if (wrong !== undefined) throw new ValidationFailed('The path is not allowed', { detail: `"path" ${wrong}` });
}

function wrongName(name: string): string | undefined {
  if (name === '') return 'must not be absolute and must have no empty segment';
  if (name === '.' || name === '..') return 'must have no "." or ".." segment';
  if (reserved.test(name)) return 'must have no ".git" segment';
  return isLonger(name, longestName) ? `must have no segment over ${longestName} characters` : undefined;
}

const noBranch = (branch: string): NotFound =>
  new NotFound('There is no such branch', { detail: `"branch": "${branch}"` });
