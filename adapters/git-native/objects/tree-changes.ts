// Compares the files of two commits by their blobs, from one streamed `git diff-tree`.
import { longest } from '#core/repositories/git/clipping';
import { zeroOid, type Oid, type TreeChange, type TreeChanges } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import type { GitProcess } from '../process/git-process.ts';
import { RecordReader } from '../process/records.ts';
import { TimeSlice } from '#adapters/git-common/waiting/time-slice';
import { CostlyQuestions } from '../process/too-costly.ts';
import type { Located } from '../storage/visits.ts';

/** The tree without entries, which git knows in every repository. */
const emptyTree: Oid = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
/** Bytes: more than the longest returned path. */
const longestRecord = 5 * longest.path;

export function treeChanges({ processes, heavy, deadlineMs }: Foundation): Located<'treeChanges'> {
  const costly = new CostlyQuestions();
  return async (location, from, to, slice, signal) => {
    const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from ?? emptyTree, to];
    const compare = async (): Promise<TreeChanges> =>
      await taken(await processes.startIn(location, args, { input: '', deadlineMs, signal }), slice);
    return await costly.ask(`${location.cacheKey}:${from}:${to}`, () => heavy.run(compare, signal));
  };
}

async function taken(
  process: GitProcess,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<TreeChanges> {
  const changes: TreeChange[] = [];
  const beyond = after === undefined ? undefined : Buffer.from(after);
  const records = new RecordReader(longestRecord);
  const pause = new TimeSlice();
  let line: string | undefined;
  for await (const chunk of process.output()) {
    records.push(chunk);
    for (let record = records.next(0); record !== undefined; record = records.next(0)) {
      if (line === undefined) {
        line = record.toString('latin1');
        continue;
      }
      const change = beyond !== undefined && record.compare(beyond) <= 0 ? undefined : changeOf(line, record);
      line = undefined;
      if (change === undefined) continue;
      if (changes.length === limit) {
        await process.stop('enough of its changes are known');
        return { changes, more: true };
      }
      changes.push(change);
    }
    if (pause.over) await pause.rest();
  }
  await process.success();
  return { changes, more: false };
}

const raw = /^:(\d{6}) (\d{6}) ([0-9a-f]{40}) ([0-9a-f]{40}) [A-Z]$/;
const isFile = (mode: string | undefined): boolean => mode === '100644' || mode === '100755' || mode === '100664';

/**
 * Parses "RAW OUTPUT FORMAT" of git-diff-tree(1). Undefined if no regular file changed, or for a path that is left out.
 */
function changeOf(line: string, bytes: Buffer): TreeChange | undefined {
  const [, oldMode, newMode, oldOid = zeroOid, newOid = zeroOid] = raw.exec(line) ?? [];
  const [before, now] = [isFile(oldMode) ? oldOid : undefined, isFile(newMode) ? newOid : undefined];
  if (before === now) return undefined;
  const path = bytes.toString('utf8');
  if (path.length > longest.path || (path.includes('\ufffd') && !Buffer.from(path).equals(bytes))) return undefined;
  return { path, old: before, new: now };
}
