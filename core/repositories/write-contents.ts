// Writing and removing one file through the API: a commit on top of a branch, under the same rules as a push.
import type { Granted } from '#core/kernel/access';
import { Conflict, Forbidden, NotFound, Unprocessable, ValidationFailed } from '#core/kernel/errors';
import { trim, trimEnd } from '#core/kernel/trim';
import { zeroOid, type JudgeRefs, type Oid, type RefVerdict, type TreeEntry } from './git-backend.ts';
import type { CommitRecord, FileWrite } from './git-history.ts';
import { judgePush, type JudgeParts } from './judge.ts';
import { quotaExceeded } from './quota.ts';
import type { RepositoryParts } from './parts.ts';
import { pushIntent, type PushIntentParts } from './push-intent.ts';
import type { Repository } from './repository.ts';
import { isUnborn } from './revisions.ts';

/** A file that is to be written or removed as one commit. */
export interface WriteCommand {
  readonly path: string;
  readonly message: string;
  /** Absent: the default branch. */
  readonly branch?: string | undefined;
  /** Of the blob that is replaced or removed; absent for a file that is new. */
  readonly sha?: string | undefined;
  /** Absent: the caller. */
  readonly author?: { readonly name: string; readonly email: string; readonly date?: Date | undefined } | undefined;
  /** Undefined: the file is removed. */
  readonly content: Uint8Array | undefined;
}

/** What became of a file that was written or removed. */
export interface Written {
  /** Whether the file is new. */
  readonly created: boolean;
  /** Undefined where it was removed. */
  readonly file: { readonly path: string; readonly oid: Oid; readonly size: number; readonly mode: string } | undefined;
  readonly commit: CommitRecord;
}

type Parts = PushIntentParts & JudgeParts & Pick<RepositoryParts, 'users'>;
type Writable = Granted<Repository, 'repo.write'>;
type Planned = Omit<FileWrite, 'ref' | 'parent' | 'file'>;

/** Somebody else may move the branch between the look at it and the write, as a push of theirs. */
const attempts = 5;
const longestMessage = 64 * 1024;

/** @throws {ValidationFailed | NotFound | Conflict | Forbidden | Unprocessable} */
export function writeContents(parts: Parts): (granted: Writable, command: WriteCommand) => Promise<Written> {
  /** By branch: writers of this process take turns, for all but one would lose the race. */
  const turns = new Map<string, Promise<unknown>>();
  return async (granted, command) => {
    const { resource: repository } = granted;
    const plan = await planned(parts, granted, command);
    const branch = command.branch ?? repository.defaultBranch;
    if (!parts.git.isLegalName('branch', branch)) throw noBranch(branch);
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

/** Undefined where the branch moved meanwhile. */
async function once(
  parts: Parts,
  granted: Writable,
  command: WriteCommand,
  plan: Planned,
  ref: string,
): Promise<Written | undefined> {
  const { git } = parts;
  const { resource: repository, call } = granted;
  const { id } = repository;
  const branch = ref.slice('refs/heads/'.length);
  const [parent = zeroOid] = await git.readRefs(id, [ref]);
  if (parent === zeroOid && (command.content === undefined || !(await isUnborn(git, repository, branch))))
    throw noBranch(branch);
  const replaced = parent === zeroOid ? undefined : await standing(parts, id, parent, command.path);
  checkReplaced(command, replaced);

  let refused: RefVerdict | undefined;
  const judging = judgePush(parts, granted);
  const judge: JudgeRefs = async (updates, objects) => {
    const verdicts = await judging.judge(updates, objects);
    refused = verdicts.find((verdict) => verdict.ref === ref && verdict.refusal !== undefined);
    return verdicts;
  };
  const mode = replaced?.mode === '100755' ? '100755' : '100644';
  const file = command.content === undefined ? undefined : ({ content: command.content, mode } as const);
  const { hooks, conclude } = pushIntent(parts, id, call.caller);
  let complete = false;
  try {
    const { commit, blob, refusal } = await git.write(
      id,
      { ...plan, ref, parent, file },
      { ...hooks, judge, signal: call.signal },
    );
    complete = true;
    if (judging.lost !== undefined) throw judging.lost;
    if (refused?.because === 'quota') throw quotaExceeded(refused.refusal ?? '');
    if (refused !== undefined)
      throw new Forbidden('The branch is protected from this', { detail: refused.refusal ?? '' });
    // Where the branch leads to this very commit it has landed, whatever became of git's report.
    const [now] = refusal === undefined ? [commit.oid] : await git.readRefs(id, [ref]);
    if (now === commit.oid) {
      return {
        created: replaced === undefined,
        file:
          file === undefined || blob === undefined
            ? undefined
            : { path: command.path, oid: blob, size: file.content.length, mode },
        commit,
      };
    }
    if (now !== parent) return undefined;
    throw new Unprocessable('git does not take this change', { detail: refusal ?? '' });
  } finally {
    await conclude(complete);
    judging.ended();
  }
}

/** What stands at the path. @throws {Unprocessable} where no file can be written there. */
async function standing({ git }: Parts, id: string, commit: Oid, path: string): Promise<TreeEntry | undefined> {
  const segments = path.split('/');
  for (let length = 1; length < segments.length; length += 1) {
    const way = segments.slice(0, length).join('/');
    const entry = await git.entry(id, commit, way);
    if (entry === undefined) return undefined;
    if (entry.type !== 'directory')
      throw new Unprocessable('The path leads through what is no folder', {
        detail: `path: "${way}" is a ${entry.type}`,
      });
  }
  const found = await git.entry(id, commit, path);
  if (found === undefined || found.type === 'file') return found;
  throw new Unprocessable('What stands at the path is no file', { detail: `path: "${path}" is a ${found.type}` });
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
  if (message.trim() === '' || message.length > longestMessage || message.includes('\0')) {
    throw new ValidationFailed('The message is not allowed', {
      detail: `"message" must be text of at most ${longestMessage} characters and hold no NUL`,
    });
  }
  const caller = call.caller.kind === 'user' ? call.caller : { id: '', username: 'anonymous' };
  const displayName = (await users.byIds([caller.id])).get(caller.id)?.displayName ?? '';
  // Addresses are private.
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
            name: checkIdentity('name', author.name),
            email: checkIdentity('email', author.email),
            date: author.date ?? call.now,
          },
  };
}

const longestPath = 4096;
const longestName = 255;
/** Under these names file systems find the folder in which git keeps a repository. */
const reserved = /^(\.git|git~\d+)[ .]*(:.*)?$/i;

/** @throws {ValidationFailed} */
function checkPath(path: string): void {
  const wrong =
    path === ''
      ? 'must name a file'
      : path.length > longestPath
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
  return name.length > longestName ? `must have no segment over ${longestName} characters` : undefined;
}

/** What git leaves of a name or an address: nothing that ends it, none of the marks it drops at either end. */
const identityText = (text: string): string =>
  trim(text.replaceAll(/[<>\p{Cc}]/gu, ''), (character) => /[\s.,:;"\\']/.test(character));

/** @throws {ValidationFailed} */
function checkIdentity(field: string, text: string): string {
  if (text === '' || text.length > 255 || text !== identityText(text)) {
    throw new ValidationFailed('The author is not allowed', {
      detail: `"author.${field}" must be text of at most 255 characters without < > and control characters, and begin and end with none of . , : ; " ' \\ or a space`,
    });
  }
  return text;
}

const noBranch = (branch: string): NotFound =>
  new NotFound('There is no such branch', { detail: `"branch": "${branch}"` });
