// The link to the page that opens a merge request, if a running plugin has this page.
import type { PageRegistry } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import { urlWith } from 'hexforge/ui';
import { encoded } from '../pages/links.ts';

/** The path of the page with both branches filled in; undefined if there is no such page. */
export type NewMergePath = (
  repository: Pick<Repository, 'owner' | 'name'>,
  branches: { readonly base: string; readonly head: string },
) => string | undefined;

export const newMergePath =
  (registry: PageRegistry): NewMergePath =>
  ({ owner, name }, { base, head }) => {
    const found = registry.pages().find(({ one }) => one.id === 'mergeNewPage');
    const path = found?.one.path.replace('{owner}', encoded(owner)).replace('{repo}', encoded(name));
    return path && urlWith(path, { source_branch: head, target_branch: base });
  };
