// The side column of a repository: what it is about, where to clone it from, archives, and its languages.
import { html, type Granted, type Html } from 'hexforge/plugin';
import type { Repository, RepositoryRecord } from 'hexforge/repositories';
import { copyField, pill } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { markButtons } from './marks.ts';
import { archivePath, repositoryPath, within } from './links.ts';

const mostLanguages = 6;

const counted = (count: number, one: string, many: string): string => `${String(count)} ${count === 1 ? one : many}`;

const percentage = (part: number): string => (part < 0.005 ? '< 1 %' : `${String(Math.round(100 * part))} %`);

/** The percentages of the languages, the largest first. */
function languageList(sizes: readonly (readonly [string, number])[]): Html | false {
  const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
  return (
    total > 0 &&
    html`<section>
      <h2>Languages</h2>
      <ul class="languages">
        ${sizes
          .slice(0, mostLanguages)
          .map(([name, bytes]) => html`<li>${name} <span class="muted">${percentage(bytes / total)}</span></li>`)}
      </ul>
    </section>`
  );
}

/** @param urls of HTTP and SSH; an empty one is not shown. @param isEmpty whether it has no commits. */
export async function aboutRepository(
  useCases: RepositoryUseCases,
  granted: Granted<Repository, 'repo.read'>,
  record: RepositoryRecord,
  { urls, isEmpty }: { readonly urls: readonly string[]; readonly isEmpty: boolean },
): Promise<Html> {
  const { repository, counts } = record;
  const [sizes, parent] = await Promise.all([
    useCases.languages(granted).then((languages) => languages.read()),
    useCases.parent(granted),
  ]);
  const signedIn = granted.call.caller.kind === 'user';
  return html`<section>
      <h2>About</h2>
      ${
        repository.description === ''
          ? html`<p class="muted">No description</p>`
          : html`<p><bdi>${repository.description}</bdi></p>`
      }
      ${
        parent !== undefined &&
        html`<p class="quiet">
          Forked from <a href="${repositoryPath(parent)}"><bdi>${parent.owner}/${parent.name}</bdi></a>
        </p>`
      }
      ${repository.visibility !== 'public' && html`<p>${pill(repository.visibility)}</p>`}
      <p class="quiet">
        ${counted(counts.stars, 'star', 'stars')} ·
        <a href="${within(repository, 'forks')}">${counted(counts.forks, 'fork', 'forks')}</a> ·
        ${String(counts.watchers)} watching
      </p>
      ${
        signedIn &&
        html`<div class="actions">
          ${markButtons(record)} <a class="button" href="${within(repository, 'fork')}">Fork</a>
        </div>`
      }
    </section>
    <section>
      <h2>Clone</h2>
      ${urls.flatMap((url, index) =>
        url === ''
          ? []
          : copyField({
              id: `clone-${String(index)}`,
              label: `The URL to clone from, ${url.split(':', 1)[0] ?? ''}`,
              value: url,
              hidesLabel: true,
            }),
      )}
      ${
        !isEmpty &&
        html`<p class="quiet">
          Download
          <a href="${archivePath(repository, repository.defaultBranch, 'zip')}" rel="nofollow">.zip</a> ·
          <a href="${archivePath(repository, repository.defaultBranch, 'tar.gz')}" rel="nofollow">.tar.gz</a>
        </p>`
      }
    </section>
    ${languageList([...sizes])}`;
}
