// Renders Markdown of merge requests; as plain text if no plugin renders it.
import { html, type Call, type Granted, type Html, type Markup } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import type { MergeUseCases } from '#core/merges/use-cases';

/** The use cases, and other parts that the pages need. */
export type PageParts = MergeUseCases & {
  /** The renderer of texts; undefined if no plugin has one. */
  readonly markup: Markup | undefined;
  /** Whether the plugin "planning" is enabled, whose labels and milestones are shown. */
  readonly planned: boolean;
};

export type Rendered = (texts: readonly string[]) => Promise<readonly Html[]>;

/** All texts of a page are rendered in one call. */
export const rendering =
  (markup: Markup | undefined, call: Call, granted: Granted<Repository, 'repo.read'>): Rendered =>
  async (texts) => {
    if (markup === undefined) return texts.map((text) => html`<pre class="text">${text}</pre>`);
    const { id, owner, name } = granted.resource;
    return markup.markdown(texts, {
      call,
      repository: { id, owner, name, may: (permission) => granted.may(permission) },
      breaks: true,
    });
  };
