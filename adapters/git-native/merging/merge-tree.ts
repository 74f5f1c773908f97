// Merges pairs of commits one after another with one `git merge-tree`, and reads each result as it arrives.
import { Internal, Unavailable } from '#core/kernel/errors';
import { longest } from '#core/repositories/git/clipping';
import { mostConflicts, type Oid } from '#core/repositories/git/git-backend';
import type { GitProcess, GitProcesses } from '../process/git-process.ts';
import { RecordReader } from '../process/records.ts';
import { refuseTooCostly } from '../process/too-costly.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { Quarantine } from './quarantine.ts';

/** Bytes: more than the longest path that is returned, with mode, oid and stage before it. */
const longestToken = 4 * longest.path + 100;
const unrelated = 'refusing to merge unrelated histories';

export interface MergedTree {
  /** If there are conflicts, its files contain conflict markers. */
  readonly tree: Oid;
  readonly clean: boolean;
  /** Sorted, without duplicates. */
  readonly conflicts: readonly string[];
}

export interface MergeTreeOptions {
  readonly quarantine: Quarantine;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

export class MergeTree {
  readonly #process: GitProcess;
  readonly #output: AsyncIterator<Buffer>;
  readonly #tokens = new RecordReader(longestToken);
  readonly #options: MergeTreeOptions;
  /** Whether messages of the last result are still unread: git writes the end of them only with the next result. */
  #unread = false;

  private constructor(process: GitProcess, options: MergeTreeOptions) {
    this.#process = process;
    this.#output = process.output();
    this.#options = options;
  }

  static async start(
    processes: GitProcesses,
    location: RepositoryLocation,
    options: MergeTreeOptions,
  ): Promise<MergeTree> {
    // Without messages git would buffer a result until there are more.
    const args = ['merge-tree', '--write-tree', '--stdin', '--messages'];
    const process = await processes.startIn(location, args, {
      // The objects are removed after the merge, so they need no fsync.
      config: { 'core.fsync': 'none' },
      environment: options.quarantine.environment,
      deadlineMs: options.deadlineMs,
      signal: options.signal,
    });
    return new MergeTree(process, options);
  }

  /** Undefined if the two have no common ancestor. The process has then ended, and accepts no further pairs. */
  async merge(ours: Oid, theirs: Oid): Promise<MergedTree | undefined> {
    this.#process.stdin.write(`${ours} ${theirs}\n`);
    try {
      return await this.#answer(ours, theirs);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      return await this.#ending();
    }
  }

  /** Never rejects. */
  async close(): Promise<void> {
    await this.#process.stop('its merge is over');
  }

  /** Reads a result as described in git-merge-tree(1), "OUTPUT". */
  async #answer(ours: Oid, theirs: Oid): Promise<MergedTree> {
    if (this.#unread) await this.#passMessages();
    const status = await this.#token();
    const tree = await this.#token();
    if (!/^[01]$/.test(status) || !/^[0-9a-f]{40}$/.test(tree))
      throw new Internal('git merge-tree answered something that is no merge');
    const conflicts = new Set<string>();
    for (let entry = await this.#token(); entry !== ''; entry = await this.#token()) {
      const path = unmarked(entry.slice(entry.indexOf('\t') + 1), [ours, theirs]);
      if (conflicts.size < mostConflicts && path.length <= longest.path) conflicts.add(path);
    }
    this.#unread = true;
    return { tree, clean: status === '1', conflicts: [...conflicts].toSorted() };
  }

  /** Skips the messages. Each consists of the number of its paths, the paths, its type and a sentence. */
  async #passMessages(): Promise<void> {
    for (let count = await this.#token(); count !== ''; count = await this.#token()) {
      for (let left = Number(count) + 2; left > 0; left -= 1) await this.#token();
    }
    this.#unread = false;
  }

  async #token(): Promise<string> {
    for (;;) {
      const token = this.#tokens.next(0);
      if (token !== undefined) return token.toString('utf8');
      const chunk = await this.#output.next();
      if (chunk.done === true) throw new Ended();
      this.#tokens.push(chunk.value);
    }
  }

  /** Returns undefined if git ended because the histories are unrelated, and throws otherwise. */
  async #ending(): Promise<undefined> {
    const { code } = await this.#process.ended;
    const { stderr, stopped } = this.#process;
    this.#options.signal.throwIfAborted();
    refuseTooCostly(this.#process, 'merge-tree');
    if (stderr.includes(unrelated)) return undefined;
    if (code === null || stopped !== undefined)
      throw new Unavailable(`git merge-tree was stopped: ${stopped ?? 'by a signal'}`, { detail: 'Try again later' });
    throw new Internal('git merge-tree failed', { detail: stderr });
  }
}

/** The output of git ended before a result was complete. */
class Ended extends Error {}

/**
 * Removes the suffix (`~OID`, `~OID_1`) that git adds to a path that is a file on one side and a directory on the
 * other.
 */
function unmarked(path: string, sides: readonly Oid[]): string {
  const mark = path.lastIndexOf('~');
  const [side, count = '0'] = path.slice(mark + 1).split('_');
  return mark > 0 && sides.includes(side ?? '') && /^\d+$/.test(count) ? path.slice(0, mark) : path;
}
