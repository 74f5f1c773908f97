// The side column of a repository: what it is about, where to clone it from, and its languages.
import { html, type Granted, type Html } from 'hexforge/plugin';
import type { Repository, RepositoryRecord } from 'hexforge/repositories';
import type { RepositoryUseCases } from '#core/repositories/use-cases';

const mostLanguages = 6;

export async function aboutRepository(
  useCases: RepositoryUseCases,
  granted: Granted<Repository, 'repo.read'>,
  { repository, counts }: RepositoryRecord,
  cloneUrl: string,
): Promise<Html> {
  const sizes = [...(await (await useCases.languages(granted)).read())];
  const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
  return html`<section>
      <h2>About</h2>
      ${
        repository.description === ''
          ? html`<p class="muted">No description</p>`
          : html`<p><bdi>${repository.description}</bdi></p>`
      }
      <p class="quiet">
        ${String(counts.stars)} stars · ${String(counts.forks)} forks · ${String(counts.watchers)} watching
      </p>
    </section>
    <section>
      <h2>Clone</h2>
      <label class="skip" for="clone">The URL to clone from</label>
      <input id="clone" class="copied" readonly value="${cloneUrl}" />
    </section>
    ${
      total > 0 &&
      html`<section>
        <h2>Languages</h2>
        <ul class="languages">
          ${sizes
            .slice(0, mostLanguages)
            .map(
              ([name, bytes]) =>
                html`<li>${name} <span class="muted">${String(Math.round((100 * bytes) / total))} %</span></li>`,
            )}
        </ul>
      </section>`
    }`;
}
