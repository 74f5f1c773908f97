// Rebases without a work tree: merges each commit that `git rebase` would pick onto the one before by merge-tree.
import { Conflict, Internal } from '#core/kernel/errors';
import { mostRebased, type MergeTrial, type Oid } from '#core/repositories/git/git-backend';
import type { Signature } from '#core/repositories/git/git-history';
import { decodedCommits, isDecodedByGit } from '../history/decoded-commits.ts';
import { endOfHead, longestHead } from '../objects/commit-head.ts';
import type { Objects } from '../objects/objects.ts';
import { emptyTree } from '../process/environment.ts';
import type { GitProcesses } from '../process/git-process.ts';
import { linesOf } from '../process/records.ts';
import { signatureText } from '#adapters/git-common/objects/commit-content';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { MergedTree, MergeTreeOptions } from './merge-tree.ts';
import type { Quarantine } from './quarantine.ts';

/** The context of a rebase. */
export interface Rebasing extends MergeTreeOptions {
  readonly location: RepositoryLocation;
  readonly merge: (ours: Oid, theirs: Oid) => Promise<MergedTree | undefined>;
  /** Undefined if no commit is to be made. */
  readonly committer: Signature | undefined;
}

/** The new tip, which is the target itself if nothing is left to pick. */
export type Rebased = { readonly tip: Oid } | { readonly conflicts: readonly string[] };

export async function rebase(
  { processes, objects }: { readonly processes: GitProcesses; readonly objects: Objects },
  { target, source }: MergeTrial,
  rebasing: Rebasing,
): Promise<Rebased> {
  const { location, quarantine, signal, merge, committer } = rebasing;
  const treeOf = async (commit: Oid): Promise<Oid> => {
    const found = await objects.commit(location, commit);
    if (found === undefined) throw new Internal('A commit to be rebased is not there', { detail: commit });
    return found.tree;
  };
  let tip = target;
  let tree = await treeOf(target);
  for (const { oid: pick, there } of await picks(processes, target, source, rebasing)) {
    signal.throwIfAborted();
    const content = (await objects.contents(location, pick))?.content;
    if (content === undefined) throw new Internal('A commit to be rebased is not there', { detail: pick });
    const picked = await objects.commit(location, pick);
    const [parent] = picked?.parents ?? [];
    const [before, after] = [parent === undefined ? emptyTree : await treeOf(parent), await treeOf(pick)];
    // rev-list treats all empty commits as the same change, but `git rebase` keeps them.
    if (there && before !== after) continue;
    if (before === tree) tree = after;
    else if (before !== after) {
      const merged = await merge(...(await stubs(quarantine, before, tree, after)));
      if (merged === undefined) throw new Internal('git merge-tree found no base that was given to it');
      if (!merged.clean) return { conflicts: merged.conflicts };
      // Like git, drops a commit that became empty. One that was empty before is kept.
      if (merged.tree === tree) continue;
      tree = merged.tree;
    }
    if (committer === undefined) tip = pick;
    else {
      const kept = await keptTexts(processes, pick, content, rebasing);
      tip = await quarantine.commit(rewritten(kept, { tree, tip, committer }));
    }
  }
  return { tip };
}

/** 409: the source has more commits than may be rebased. */
export class RebaseTooLong extends Conflict {
  constructor() {
    super('There are too many commits to be rebased', {
      code: 'rebase_too_long',
      detail: `At most ${mostRebased} are rebased; merge or squash them instead`,
    });
  }
}

/** A commit, and whether the target already contains its change. */
interface Pick {
  readonly oid: Oid;
  readonly there: boolean;
}

/**
 * Lists the commits with the options of git's own sequencer: no merges, and commits whose change the target contains
 * are marked.
 * @throws {RebaseTooLong} if there are more than `mostRebased`.
 */
async function picks(
  processes: GitProcesses,
  target: Oid,
  source: Oid,
  { location, deadlineMs, signal }: Rebasing,
): Promise<readonly Pick[]> {
  const range = ['--reverse', '--topo-order', '--no-merges', '--cherry-mark', '--right-only', `${target}...${source}`];
  const process = await processes.startIn(location, ['rev-list', ...range, '--'], { input: '', deadlineMs, signal });
  const found: Pick[] = [];
  for await (const lines of linesOf(process)) {
    for (const line of lines) found.push({ oid: line.slice(1), there: line.startsWith('=') });
    if (found.length <= mostRebased) continue;
    await process.stop('there are too many commits');
    throw new RebaseTooLong();
  }
  await process.success();
  return found;
}

/**
 * Makes commits from three trees, because merge-tree takes its base from history: `ours` and `theirs`, both with `base`
 * as parent.
 */
async function stubs(quarantine: Quarantine, base: Oid, ours: Oid, theirs: Oid): Promise<readonly [Oid, Oid]> {
  const stub = (tree: Oid, parents: readonly Oid[]): Promise<Oid> =>
    quarantine.commit(
      Buffer.from(
        `tree ${tree}\n${parents.map((parent) => `parent ${parent}\n`).join('')}author - <-> 0 +0000\ncommitter - <-> 0 +0000\n\n`,
      ),
    );
  const root = await stub(base, []);
  return [await stub(ours, [root]), await stub(theirs, [root])];
}

/** The author line of a commit, and its message from the newline before it. */
interface KeptTexts {
  readonly author: Buffer;
  readonly message: Buffer;
}

/**
 * Kept byte for byte if the commit is in UTF-8. Otherwise decoded by git, as in a rebase by `git rebase`, because the
 * new committer is in UTF-8 and one commit has one encoding.
 */
async function keptTexts(
  processes: GitProcesses,
  pick: Oid,
  content: Buffer,
  { location, deadlineMs, signal }: Rebasing,
): Promise<KeptTexts> {
  const split = await endOfHead(content);
  const head = content.subarray(0, Math.min(split, longestHead));
  const header = (name: string): Buffer | undefined => {
    const from = head.indexOf(`\n${name} `) + 1;
    const end = content.indexOf('\n', from);
    return from === 0 ? undefined : content.subarray(from + name.length + 1, end < 0 ? split : end);
  };
  const author = header('author') ?? Buffer.alloc(0);
  const message = split === content.length ? Buffer.from('\n') : content.subarray(split + 1);
  if (!isDecodedByGit(header('encoding')?.toString('latin1'))) return { author, message };
  for await (const [, decoded] of decodedCommits(processes, location, [pick], { deadlineMs, signal })) {
    const { name, email } = decoded.author;
    const date = author.subarray(author.lastIndexOf('>') + 1);
    // git finds no name and no address in a malformed line, which is kept.
    const isParsed = name.length + email.length > 0;
    return {
      author: isParsed ? Buffer.concat([name, Buffer.from(' <'), email, Buffer.from('>'), date]) : author,
      message: Buffer.concat([Buffer.from('\n'), decoded.message]),
    };
  }
  throw new Internal('A commit to be rebased is not there', { detail: pick });
}

/**
 * A commit with a new tree, parent and committer, and the kept author, date and message; other headers, such as
 * signatures, are left out.
 */
const rewritten = (
  { author, message }: KeptTexts,
  { tree, tip, committer }: { readonly tree: Oid; readonly tip: Oid; readonly committer: Signature },
): Buffer =>
  Buffer.concat([
    Buffer.from(`tree ${tree}\nparent ${tip}\nauthor `),
    author,
    Buffer.from(`\ncommitter ${signatureText(committer)}\n`),
    message,
  ]);
