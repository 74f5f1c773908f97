// Rebasing without a work tree: the commits that `git rebase` would pick, each merged on top of the one before by
// merge-tree.
import { Buffer } from 'node:buffer';
import { Conflict, Internal, Unavailable } from '#core/kernel/errors';
import { mostRebased, type MergeTrial, type Oid } from '#core/repositories/git-backend';
import type { Signature } from '#core/repositories/git-history';
import { endOfHead, longestHead } from '../objects/commit-head.ts';
import type { Objects } from '../objects/objects.ts';
import type { GitProcesses } from '../process/git-process.ts';
import { linesOf } from '../process/lines.ts';
import { refuseTooCostly } from '../process/too-costly.ts';
import { signatureText } from '../push/commit-content.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { MergedTree } from './merge-tree.ts';
import type { Quarantine } from './quarantine.ts';

/** The tree of nothing, which git knows without its being stored. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export interface RebaseParts {
  readonly processes: GitProcesses;
  readonly objects: Objects;
}

/** Where, until when, and by what. */
export interface Rebasing {
  readonly location: RepositoryLocation;
  readonly quarantine: Quarantine;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly merge: (ours: Oid, theirs: Oid) => Promise<MergedTree | undefined>;
  /** Undefined where no commit is to be made. */
  readonly committer: Signature | undefined;
}

/** The new tip, which is the target itself where nothing is left to pick. */
export type Rebased = { readonly tip: Oid } | { readonly conflicts: readonly string[] };

export async function rebase(
  { processes, objects }: RebaseParts,
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
    // To rev-list all empty commits are the same change; git keeps those.
    if (there && before !== after) continue;
    if (before === tree) tree = after;
    else if (before !== after) {
      const merged = await merge(...(await stubs(quarantine, before, tree, after)));
      if (merged === undefined) throw new Internal('git merge-tree found no base that was given to it');
      if (!merged.clean) return { conflicts: merged.conflicts };
      // Nothing of it is left: git leaves out what becomes empty, and keeps what was.
      if (merged.tree === tree) continue;
      tree = merged.tree;
    }
    tip = committer === undefined ? pick : await quarantine.commit(await rewritten(content, { tree, tip, committer }));
  }
  return { tip };
}

/** 409: the source has more commits than are rebased. */
export class RebaseTooLong extends Conflict {
  constructor() {
    super('There are too many commits to be rebased', {
      code: 'rebase_too_long',
      detail: `At most ${mostRebased} are rebased; merge or squash them instead`,
    });
  }
}

/** A commit, and whether the target has its change already. */
interface Pick {
  readonly oid: Oid;
  readonly there: boolean;
}

/** As git's own sequencer asks for them: no merges, those whose change the target has marked. */
async function picks(
  processes: GitProcesses,
  target: Oid,
  source: Oid,
  { location, deadlineMs, signal }: Rebasing,
): Promise<readonly Pick[]> {
  const range = ['--reverse', '--topo-order', '--no-merges', '--cherry-mark', '--right-only', `${target}...${source}`];
  const process = await processes.start([`--git-dir=${location.directory}`, 'rev-list', ...range, '--'], {
    directory: location.directory,
    deadlineMs,
    signal,
  });
  process.stdin.end();
  const found: Pick[] = [];
  for await (const lines of linesOf(process)) {
    for (const line of lines) found.push({ oid: line.slice(1), there: line.startsWith('=') });
    if (found.length <= mostRebased) continue;
    await process.stop('there are too many commits');
    throw new RebaseTooLong();
  }
  const { code } = await process.ended;
  signal.throwIfAborted();
  refuseTooCostly(process, 'rev-list');
  if (code === null)
    throw new Unavailable(`git rev-list was stopped: ${process.stopped ?? 'by a signal'}`, {
      detail: 'Try again later',
    });
  if (code !== 0) throw new Internal(`git rev-list failed in repository "${location.id}"`, { detail: process.stderr });
  return found;
}

/** merge-tree takes its base from history, so three trees become commits whose history has the wanted one. */
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

/**
 * The same author, date, encoding and message, byte for byte, in another place; what signed the commit as it was is
 * left out.
 */
async function rewritten(
  content: Buffer,
  { tree, tip, committer }: { readonly tree: Oid; readonly tip: Oid; readonly committer: Signature },
): Promise<Buffer> {
  const split = await endOfHead(content);
  const head = content.subarray(0, Math.min(split, longestHead));
  const kept = (name: string): readonly Buffer[] => {
    const from = head.indexOf(`\n${name} `) + 1;
    const end = content.indexOf('\n', from);
    return from === 0 ? [] : [content.subarray(from, end < 0 ? split : end), Buffer.from('\n')];
  };
  return Buffer.concat([
    Buffer.from(`tree ${tree}\nparent ${tip}\n`),
    ...kept('author'),
    Buffer.from(`committer ${signatureText(committer)}\n`),
    ...kept('encoding'),
    split === content.length ? Buffer.from('\n') : content.subarray(split + 1),
  ]);
}
