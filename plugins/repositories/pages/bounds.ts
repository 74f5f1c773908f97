// Bounds of pages, so that no file, folder or commit makes a page that is slow to write or to read.
import type { Html } from 'hexforge/plugin';

export const most = {
  /** Bytes of a file that is shown. */
  bytes: 512 * 1024,
  /** Lines of a file. */
  lines: 10_000,
  /** Entries of a folder. */
  entries: 1000,
  /** Files of a commit. */
  files: 500,
  /** Lines of all patches of a commit. */
  patchLines: 5000,
} as const;

/** Items that are rendered before other requests have a turn. */
const perTurn = 500;

/** Renders many items without holding the event loop. */
export async function inTurns<T>(
  items: readonly T[],
  render: (item: T, index: number) => Html,
): Promise<readonly Html[]> {
  const rendered: Html[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % perTurn === 0) await new Promise((resolve) => setImmediate(resolve));
    rendered.push(render(item, index));
  }
  return rendered;
}
