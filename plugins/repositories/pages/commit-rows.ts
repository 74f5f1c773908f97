// Lists of commits.
import { html, type Html } from 'hexforge/plugin';
import type { CommitRecord, Repository } from 'hexforge/repositories';
import { list, time } from 'hexforge/ui';
import { commitPath } from './links.ts';

const subjectOf = ({ message }: CommitRecord): string => message.split('\n', 1)[0] ?? '';

export const commitRows = (repository: Repository, commits: readonly CommitRecord[], now: Date): Html =>
  html`<div class="commits">
    ${list(
      commits.map((commit) => ({
        title: html`<a href="${commitPath(repository, commit.oid)}"><bdi>${subjectOf(commit)}</bdi></a>`,
        about: html`<bdi>${commit.author.name}</bdi> committed ${time(commit.committer.date, now)}`,
        end: html`<a href="${commitPath(repository, commit.oid)}"><code>${commit.oid.slice(0, 7)}</code></a>`,
      })),
    )}
  </div>`;
