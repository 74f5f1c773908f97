// Lists of commits.
import { html, type Html } from 'hexforge/plugin';
import type { CommitRecord, Repository } from 'hexforge/repositories';
import { commitRow, list } from 'hexforge/ui';
import { commitPath } from './links.ts';

export const commitRows = (repository: Repository, commits: readonly CommitRecord[], now: Date): Html =>
  html`<div class="commits">
    ${list(commits.map((commit) => commitRow(commit, now, commitPath(repository, commit.oid))))}
  </div>`;
