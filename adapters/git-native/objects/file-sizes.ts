// Sums the file sizes of a commit by group, such as by language, from one streamed `git ls-tree`.
import type { Foundation } from '../foundation.ts';
import type { GitProcess } from '../process/git-process.ts';
import { RecordReader } from '../process/records.ts';
import { CostlyQuestions } from '../process/too-costly.ts';
import type { Located } from '../storage/visits.ts';

const mostFiles = 250_000;
/** Bytes of the whole output, and of one entry. A longer entry is not counted. */
const mostOutput = 128 * 1024 ** 2;
const longestEntry = 16 * 1024;

export function sizes({ processes, heavy, deadlineMs }: Foundation): Located<'sizes'> {
  const costly = new CostlyQuestions();
  return async (location, commit, group, signal) => {
    const args = ['ls-tree', '-r', '-l', '-z', '--full-tree', commit];
    const sum = async (): Promise<ReadonlyMap<string, number>> =>
      await sumBy(group, await processes.startIn(location, args, { input: '', deadlineMs, signal }));
    return await costly.ask(`${location.cacheKey}:${commit}`, () => heavy.run(sum, signal));
  };
}

async function sumBy(group: (path: string) => string, process: GitProcess): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>();
  let files = 0;
  let bytes = 0;
  const entries = new RecordReader(longestEntry);
  for await (const chunk of process.output()) {
    bytes += chunk.length;
    entries.push(chunk);
    for (let entry = entries.next(0); entry !== undefined; entry = entries.next(0)) {
      files += 1;
      if (entries.cut) continue;
      const [, size, path] = /^100\d{3} blob [0-9a-f]{40} +(\d+)\t(.*)$/s.exec(entry.toString('utf8')) ?? [];
      const kind = path === undefined ? '' : group(path);
      if (kind !== '') sums.set(kind, (sums.get(kind) ?? 0) + Number(size));
    }
    if (files < mostFiles && bytes < mostOutput) continue;
    await process.stop('enough of its files are known');
    return sums;
  }
  await process.success();
  return sums;
}
