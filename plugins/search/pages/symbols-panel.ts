// The panel of a file with its definitions, and the form that finds others.
import { html, type FileSubject, type Html, type SidePanel } from 'hexforge/plugin';
import { languageOf } from 'hexforge/repositories';
import type { SearchBackend, SymbolDefinition, SymbolReader } from 'hexforge/search';
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

/** Without a back end, and for languages whose definitions cannot be read, there is no panel. */
export const symbolsPanel = (
  backend: () => SearchBackend | undefined,
  reader: Pick<SymbolReader, 'reads'>,
): SidePanel => ({
  id: 'symbols',
  title: 'Symbols',
  on: 'file',
  async run(_call, { repositoryId, owner, repository, path, isDefaultBranch }: FileSubject) {
    const provider = backend();
    if (provider === undefined || !reader.reads(languageOf(path))) return undefined;
    // Other branches and commits have other lines.
    const symbols = isDefaultBranch ? await provider.symbolsOf(repositoryId, path) : [];
    return html`<div class="symbols">
      ${symbols.length > 0 && listOf(symbols)}
      ${definitionForm({ owner, name: repository }, { from: path, isScripted: true })}
    </div>`;
  },
});
