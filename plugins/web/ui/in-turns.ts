// Renders long lists without holding the event loop.
import type { Html } from 'hexforge/plugin';

/** Milliseconds of rendering after which other requests have a turn. */
const longest = 5;

/** The turns of one page, which may have many lists. */
export class Turns {
  #end = performance.now() + longest;

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#end = performance.now() + longest;
  }
}

/**
 * Renders many items; other requests have a turn every few milliseconds.
 * @param turns of a page with many lists. Default: those of this list alone.
 */
export async function inTurns<T>(
  items: readonly T[],
  render: (item: T, index: number) => Html,
  turns: Turns = new Turns(),
): Promise<readonly Html[]> {
  const rendered: Html[] = [];
  for (const [index, item] of items.entries()) {
    if (turns.isOver) await turns.next();
    rendered.push(render(item, index));
  }
  return rendered;
}
