// The output of a process as whole lines, as they arrive.
import type { GitProcess } from './git-process.ts';

/** Bytes as latin1. */
export async function* linesOf(process: GitProcess): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const chunk of process.output()) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
}
