// Shows parts of pages that plugins contribute. A part that fails or is late never fails the page.
import { html, within, type Html, type Log, type Registered } from 'hexforge/plugin';

interface Part {
  readonly id: string;
  readonly title: string;
  readonly order?: number;
}

const defaultOrder = 50;

/** In the given order, then in that of the configuration. */
export const ordered = <T extends Pick<Part, 'order'>>(all: readonly Registered<T>[]): readonly Registered<T>[] =>
  all.toSorted((left, right) => (left.one.order ?? defaultOrder) - (right.one.order ?? defaultOrder));

/** The result of `read`; undefined, and a line in the log, if it fails. It is late after 1.5 s. */
export async function attempted<T>(
  { plugin, one }: Registered<Pick<Part, 'id'>>,
  read: () => Promise<T | undefined> | undefined,
  log: Log,
): Promise<{ readonly value: T | undefined; readonly failed: boolean }> {
  let late = true;
  try {
    const value = await within(undefined, async () => {
      const found = await read();
      late = false;
      return found;
    });
    if (!late) return { value, failed: false };
    log.warn({ plugin, part: one.id }, 'a part of a page is late');
  } catch (error) {
    log.warn({ plugin, part: one.id, err: error }, 'a part of a page failed');
  }
  return { value: undefined, failed: true };
}

/** The parts as sections with their titles. A part that failed is one line with the name of its plugin. */
export async function sections<T extends Part>(
  all: readonly Registered<T>[],
  run: (one: T) => Promise<Html | undefined>,
  log: Log,
): Promise<readonly Html[]> {
  const shown = await Promise.all(
    ordered(all).map(async (part) => {
      const { plugin, one } = part;
      const { value, failed } = await attempted(part, () => run(one), log);
      if (failed) return html`<p class="quiet">The plugin “${plugin}” could not show “${one.title}”.</p>`;
      return (
        value !== undefined &&
        html`<section class="card">
          <h2>${one.title}</h2>
          ${value}
        </section>`
      );
    }),
  );
  return shown.filter((section) => section !== false);
}
