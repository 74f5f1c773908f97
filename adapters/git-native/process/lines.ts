// The output of a process as complete lines, as they arrive.
import { Unprocessable } from '#core/kernel/errors';
import type { GitProcess } from './git-process.ts';
import { RecordReader } from './records.ts';

/** Bytes: a commit with twenty thousand parents. */
const longestLine = 1024 ** 2;

/**
 * Lines with their bytes as latin1.
 * @throws {Unprocessable} for a line that is too long.
 */
export async function* linesOf(process: GitProcess): AsyncGenerator<readonly string[]> {
  const reader = new RecordReader(longestLine);
  for await (const chunk of process.output()) {
    const lines: string[] = [];
    reader.push(chunk);
    for (let line = reader.next(0x0a); line !== undefined; line = reader.next(0x0a)) {
      if (reader.cut)
        throw new Unprocessable('A commit is too large to be read', {
          detail: `git says over ${longestLine} bytes of it: it has too many parents`,
        });
      lines.push(line.toString('latin1'));
    }
    yield lines;
  }
}
