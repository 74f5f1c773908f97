// The pages of the history: commits of a ref, and one commit with its changes.
import { html, HtmlPage, page, pageQuery, readPage, pageRules, shape, type Html, type WebPage } from 'hexforge/plugin';
import type { CommitRecord, FileChange, Repository } from 'hexforge/repositories';
import { empty, list, pagination, pill, time, linkButton } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { reading } from '../shapes.ts';
import { commitParams } from '../commits/schemas.ts';
import { inTurns, most } from './bounds.ts';
import { blobPath, commitPath, treePath } from './links.ts';

const perPage = 30;

const subjectOf = ({ message }: CommitRecord): string => message.split('\n', 1)[0] ?? '';

const commitRows = (repository: Repository, commits: readonly CommitRecord[], now: Date): Html =>
  list(
    commits.map((commit) => ({
      title: html`<a href="${commitPath(repository, commit.oid)}"><bdi>${subjectOf(commit)}</bdi></a>`,
      about: html`<bdi>${commit.author.name}</bdi> committed ${time(commit.committer.date, now)}`,
      end: html`<a href="${commitPath(repository, commit.oid)}"><code>${commit.oid.slice(0, 7)}</code></a>`,
    })),
  );

const tones = { added: 'good', removed: 'bad', modified: 'neutral', renamed: 'accent' } as const;

/** A changed file. @param patch its hunks; undefined if they are not shown. */
async function changedFile(
  repository: Repository,
  oid: string,
  file: FileChange,
  patch?: readonly string[],
): Promise<Html> {
  const { path, previousPath, status, additions, deletions, isBinary } = file;
  const lines = patch && (await inTurns(patch, patchLine));
  return html`<section class="box diff">
    <div class="head">
      ${pill(status, tones[status])}
      <span class="grow">
        ${previousPath !== undefined && html`<bdi>${previousPath}</bdi> → `}
        ${
          status === 'removed'
            ? html`<bdi>${path}</bdi>`
            : html`<a href="${blobPath(repository, oid, path)}"><bdi>${path}</bdi></a>`
        }
      </span>
      <span class="plus">+${String(additions)}</span> <span class="minus">−${String(deletions)}</span>
    </div>
    ${
      lines === undefined
        ? html`<p class="quiet">
            ${isBinary ? 'A binary file' : additions + deletions > 0 ? 'Too large to be shown' : 'No lines changed'}
          </p>`
        : html`<pre class="patch">${lines}</pre>`
    }
  </section>`;
}

const classes: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'hunk' };
const patchLine = (line: string): Html => html`<span class="${classes[line[0] ?? ''] ?? ''}">${line}${'\n'}</span>`;

/** The files of a commit, with hunks until the bound of all lines is reached. */
async function changedFiles(
  repository: Repository,
  oid: string,
  files: readonly FileChange[],
): Promise<readonly Html[]> {
  let left: number = most.patchLines;
  const shown: Html[] = [];
  for (const file of files.slice(0, most.files)) {
    const lines = file.patch?.split('\n');
    const fits = lines !== undefined && lines.length <= left;
    if (fits) left -= lines.length;
    shown.push(await changedFile(repository, oid, file, fits ? lines : undefined));
  }
  return shown;
}

export const historyPages = (useCases: RepositoryUseCases): readonly WebPage[] => [
  page({
    id: 'repositoryCommits',
    summary: 'The commits of a ref, or those that changed a path',
    place: 'repository',
    path: '/commits/{target*}',
    ...reading,
    query: shape(pageQuery),
    async run({ now }, { granted, params, query, url }) {
      const repository = granted.resource;
      const { ref, path } = await useCases.locate(granted, { target: params.target });
      const { page: number } = readPage(pageRules.capped(), query);
      const found = await useCases.commits(granted, { ref, ...(path !== '' && { path }), page: number, perPage });
      const { items } = await found.read();
      return new HtmlPage({
        title: path === '' ? `Commits of ${ref}` : `History of ${path}`,
        width: 'wide',
        main: html`<h1>Commits</h1>
          <div class="bar">
            ${linkButton(ref, treePath(repository, ref))} ${path !== '' && html`<bdi>${path}</bdi>`}
          </div>
          ${items.length === 0 ? empty('There are no commits here') : commitRows(repository, items, now)}
          ${pagination(url, { page: number, perPage, more: items.length === perPage })}`,
      });
    },
  }),
  page({
    id: 'repositoryCommit',
    summary: 'One commit with its changes',
    place: 'repository',
    path: '/commit/{ref*}',
    ...reading,
    params: commitParams,
    async run({ now }, { granted, params }) {
      const repository = granted.resource;
      const { commit, difference } = await (await useCases.commit(granted, { revision: params.ref })).read();
      const [subject = '', ...rest] = commit.message.split('\n');
      const body = rest.join('\n').trim();
      return new HtmlPage({
        title: subject,
        width: 'wide',
        main: html`<h1><bdi>${subject}</bdi></h1>
          ${body !== '' && html`<pre class="text"><bdi>${body}</bdi></pre>`}
          <p class="muted">
            <b><bdi>${commit.author.name}</bdi></b> committed ${time(commit.committer.date, now)} ·
            <code>${commit.oid}</code>
            ${commit.parents.map(
              (oid) => html`· parent <a href="${commitPath(repository, oid)}"><code>${oid.slice(0, 7)}</code></a> `,
            )}
            · <a href="${treePath(repository, commit.oid)}">Files</a>
          </p>
          <p>
            ${String(difference.files.length)} files changed, <span class="plus">+${String(difference.additions)}</span>
            <span class="minus">−${String(difference.deletions)}</span>
          </p>
          ${await changedFiles(repository, commit.oid, difference.files)}
          ${
            (difference.truncated || difference.files.length > most.files) &&
            html`<p class="quiet">This commit changes more files than are shown.</p>`
          }`,
      });
    },
  }),
];
