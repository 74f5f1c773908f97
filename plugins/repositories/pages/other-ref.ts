// The choice of another branch or tag, at which the same kind of page shows the same path.
import { html, maybe, oneOf, text, type Html } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import { tabs } from 'hexforge/ui';
import { otherRefPath, refPages, type Shown } from './links.ts';

/** The query parameters of the lists of branches and tags. */
export const shownQuery = {
  show: maybe(oneOf(...refPages).empty('')),
  path: maybe(text().empty('').max(4096)),
} as const;

type Asked = { readonly [name in keyof Shown]: Shown[name] | undefined };

/** The page of the chosen ref. A path that a browser would change, such as `../x`, is left out. */
export const shownIn = ({ show = 'tree', path = '' }: Partial<Asked>): Shown => ({
  show,
  path: path.split('/').some((segment) => ['', '.', '..'].includes(segment)) ? '' : path,
});

/** The parameters in the filters of a list. */
export const shownFields = ({ show, path }: Shown): Html | false =>
  (show !== 'tree' || path !== '') &&
  html`<input type="hidden" name="show" value="${show}" /><input type="hidden" name="path" value="${path}" />`;

/** Branches and tags beside each other, and the path that the chosen one will show. */
export const chosenFor = (repository: Repository, shown: Shown, current: 'branches' | 'tags'): Html =>
  html`${tabs(
    'Refs',
    (['branches', 'tags'] as const).map((list) => ({
      title: list === 'branches' ? 'Branches' : 'Tags',
      href: otherRefPath(repository, list, shown),
      current: list === current,
    })),
  )}
  ${shown.path !== '' && html`<p class="muted">Choose where to see <bdi>${shown.path}</bdi></p>`}`;
