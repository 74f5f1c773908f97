// The panel of a file with its definitions, and the form that finds others.
import { html, type FileSubject, type Html, type SidePanel } from 'hexforge/plugin';
import type { SearchBackend, SymbolDefinition } from 'hexforge/search';
import { definitionForm } from './definition-page.ts';

/** More definitions are not listed, so that the page of a long file stays small. */
const most = 250;

const listOf = (symbols: readonly SymbolDefinition[]): Html =>
  html`<ul>
      ${symbols.slice(0, most).map(
        ({ name, kind, line }) =>
          html`<li>
            <a href="#L${line.toString()}"
              ><code><bdi>${name}</bdi></code></a
            ><span class="muted">${kind}</span>
          </li>`,
      )}
    </ul>
    ${symbols.length > most && html`<p class="quiet">The first ${most.toString()} of ${symbols.length.toString()}</p>`}`;

/** Files of which no definition is known have no panel. */
export const symbolsPanel = (backend: () => SearchBackend | undefined): SidePanel => ({
  id: 'symbols',
  title: 'Symbols',
  on: 'file',
  async run(_call, subject: FileSubject) {
    const { repositoryId, owner, repository, path, isDefaultBranch } = subject;
    const symbols = (await backend()?.symbolsOf(repositoryId, path)) ?? [];
    if (symbols.length === 0) return undefined;
    return html`<div class="symbols">
      ${isDefaultBranch ? listOf(symbols) : html`<p class="quiet">Those of the default branch can be found:</p>`}
      ${definitionForm({ owner, name: repository }, { from: path, isScripted: true })}
    </div>`;
  },
});
