// The page of blame: the lines of a file, with the commit that each is from.
import {
  html,
  HtmlPage,
  Joi,
  maybe,
  NotFound,
  page,
  shape,
  type Granted,
  type Html,
  type WebPage,
} from 'hexforge/plugin';
import { languageOf, type BlamedLine, type Repository } from 'hexforge/repositories';
import { empty, linkButton, time } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { most } from '../pages/bounds.ts';
import { codeTable } from '../pages/code-table.ts';
import { bar, type At } from '../pages/folder-view.ts';
import { blamePath, blobPath, commitPath } from '../pages/links.ts';
import { orMissing } from '../pages/missing.ts';
import { leadsTo } from '../pages/redirect.ts';
import { codeLines, type Texts } from '../pages/texts.ts';
import { reading } from '../shapes.ts';

export function blamePages(useCases: RepositoryUseCases, texts: Texts): readonly WebPage[] {
  /** The first parent of a commit, if the path exists there. */
  const before = async (
    granted: Granted<Repository, 'repo.read'>,
    ref: string,
    path: string,
  ): Promise<string | undefined> => {
    const [commit] = (await (await useCases.commits(granted, { ref, page: 1, perPage: 1 })).read()).items;
    const [parent] = commit?.parents ?? [];
    if (parent === undefined) return undefined;
    return useCases.contents(granted, { ref: parent, path }).then(
      () => parent,
      (error: unknown) => {
        if (error instanceof NotFound) return undefined;
        throw error;
      },
    );
  };

  return [
    page({
      id: 'repositoryBlamePage',
      summary: 'The lines of a file with the commit of each',
      place: 'repository',
      path: '/blame/{target*}',
      ...reading,
      query: shape({ before: maybe(Joi.string()) }),
      async run({ now }, { granted, params: { target }, query }) {
        const repository = granted.resource;
        const { ref, path } = await useCases.locate(granted, { target });
        const at: At = { repository, ref, path, now, kind: 'blame' };
        return orMissing(useCases, granted, at, async () => {
          const blame = await useCases.blame(granted, { target });
          const parent = query.before === '1' ? await before(granted, ref, path) : undefined;
          if (parent !== undefined) return leadsTo(blamePath(repository, parent, path));
          const lines = await blame.read();
          const text = lines.map(({ content }) => content).join('\n');
          const shown = lines.length > 0 && lines.length <= most.lines;
          return new HtmlPage({
            title: `Blame of ${path}`,
            width: 'wide',
            main: html`<h1 class="skip">Blame of <bdi>${path}</bdi></h1>
              ${bar(at, linkButton('File', blobPath(repository, ref, path)))}
              ${query.before === '1' && html`<p class="quiet">The file did not exist before this commit.</p>`}
              ${
                shown
                  ? html`<div class="box blame">
                      ${await codeTable(
                        await codeLines(texts, text, languageOf(path)),
                        commitsBeside(repository, path, lines, now),
                      )}
                    </div>`
                  : empty(lines.length === 0 ? 'The file has no lines' : 'The file is too large to be shown')
              }`,
          });
        });
      },
    }),
  ];
}

/** One cell for each run of lines of the same commit. */
function commitsBeside(
  repository: Repository,
  path: string,
  lines: readonly BlamedLine[],
  now: Date,
): (index: number) => Html | false {
  const begins = (index: number): boolean => lines[index]?.oid !== lines[index - 1]?.oid;
  const lengths = new Map<number, number>();
  let first = 0;
  for (const index of lines.keys()) {
    if (begins(index)) first = index;
    lengths.set(first, index - first + 1);
  }
  return (index) => {
    const line = lines[index];
    if (line === undefined || !begins(index)) return false;
    const { oid, author } = line;
    return html`<td class="from" rowspan="${String(lengths.get(index) ?? 1)}">
      <a href="${commitPath(repository, oid)}"><code>${oid.slice(0, 7)}</code></a>
      <bdi>${author.name}</bdi> ${time(author.date, now)}
      <a class="before" href="${blamePath(repository, oid, path)}?before=1" title="Blame before this commit"
        ><span aria-hidden="true">↑</span><span class="skip">Blame before ${oid.slice(0, 7)}</span></a
      >
    </td>`;
  };
}
