// Lists of commits.
import { html, type Granted, type Html } from 'hexforge/plugin';
import type { CommitRecord, Repository } from 'hexforge/repositories';
import { commitRow, list } from 'hexforge/ui';
import { linkedTexts, messageParts } from '../pages/commit-texts.ts';
import { commitPath } from '../pages/links.ts';
import type { Texts } from '../pages/texts.ts';

export async function commitRows(
  texts: Texts,
  granted: Granted<Repository, 'repo.read'>,
  commits: readonly CommitRecord[],
  now: Date,
): Promise<Html> {
  const path = ({ oid }: CommitRecord): string => commitPath(granted.resource, oid);
  const subjects = await linkedTexts(
    texts,
    granted,
    commits.map((commit) => ({ text: messageParts(commit.message).subject, href: path(commit) })),
  );
  return html`<div class="commits">
    ${list(
      commits.map((commit, index) => ({
        ...commitRow(commit, now, path(commit)),
        title: html`<bdi>${subjects[index]}</bdi>`,
      })),
    )}
  </div>`;
}
