// Renders long lists without holding the event loop.
import type { Html } from 'hexforge/plugin';

/** Items that are rendered before other requests have a turn. */
const perTurn = 500;

/** Renders many items; other requests have a turn after each 500. */
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
