// The hits of a search as parts of a page: files with lines, definitions, issues, merge requests and documents.
import { html, type Html, type HtmlPiece } from 'hexforge/plugin';
import { encodedPath, repositoryPage, repositoryPath, type Repository } from 'hexforge/repositories';
import type { CodeHit, DefinitionHit, FoundDocument } from 'hexforge/search';
import { dotted, icon, list, pill, statePill, time, type Row } from 'hexforge/ui';
import { filePath } from '../site/links.ts';
import { marked } from './words.ts';

/** The terms that are marked: those of files, and the words of documents. */
export interface Marks {
  readonly files: readonly string[];
  readonly words: readonly string[];
}

const nameOf = ({ owner, name }: Repository): Html => html`<bdi>${owner}/${name}</bdi>`;
const linked = (repository: Repository): Html =>
  html`<a class="person" href="${repositoryPath(repository)}">${nameOf(repository)}</a>`;

/** A file: its path, and lines that link to those of the file. */
export function codeHit(hit: CodeHit, { files }: Marks): Html {
  const { repository, path, language, line, firstLine, snippet } = hit;
  const at = (number?: number): string => filePath(repository, repository.defaultBranch, path, number);
  // After the last newline of a file is no line.
  const lines = snippet === '' ? [] : snippet.replace(/\n$/, '').split('\n');
  return html`<section class="box found" data-step>
    <h3 class="head">
      <a class="grow" href="${at(lines.length === 0 ? undefined : line)}"
        >${nameOf(repository)} <b><bdi>${marked(path, files)}</bdi></b></a
      >
      <span class="quiet">${language}</span>
    </h3>
    ${
      lines.length > 0 &&
      html`<table class="code">
        <tbody>
          ${lines.map((text, index) => {
            const number = String(firstLine + index);
            return html`<tr>
              <td class="number">
                <a href="${at(firstLine + index)}" data-line="${number}" aria-label="Line ${number}"></a>
              </td>
              <td><code>${marked(text, files)}</code></td>
            </tr>`;
          })}
        </tbody>
      </table>`
    }
  </section>`;
}

/** A definition as a row. */
export const symbolRow = (hit: DefinitionHit, terms: readonly string[]): Row => {
  const { repository, path, line, name, kind, signature } = hit;
  return {
    title: html`<a href="${filePath(repository, repository.defaultBranch, path, line)}"
        ><code>${marked(name, terms)}</code></a
      >
      ${pill(kind)}`,
    about: html`${signature !== '' && html`<code>${marked(signature, terms)}</code><br />`}
    ${dotted([linked(repository), html`<bdi>${path}</bdi>:${line.toString()}`])}`,
  };
};

/** Indexers return any JSON as the source of a hit. */
const memberOf = (source: unknown, name: string): string => {
  const value = (source as Readonly<Record<string, unknown>> | null)?.[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

const states = ['open', 'closed', 'merged'] as const;

/** The sections of things with numbers: the sign before a number, the path of pages, and the tone of `closed`. */
const numbered = {
  issues: { sign: '#', path: 'issues', closed: 'merged' },
  mrs: { sign: '!', path: 'merges', closed: 'bad' },
} as const;

/** An issue or a merge request as a row. */
function numberedRow(section: keyof typeof numbered, hit: FoundDocument, { words }: Marks, now: Date): Row {
  const { repository, source } = hit;
  const { sign, path, closed } = numbered[section];
  const [number, state, snippet, updated] = ['number', 'state', 'snippet', 'updated_at'].map((name) =>
    memberOf(source, name),
  ) as [string, string, string, string];
  const known = states.find((each) => each === state);
  const at = new Date(updated);
  return {
    mark: known === undefined ? pill(state) : statePill(known, closed),
    title: html`<a href="${repositoryPage(repository, `${path}/${encodeURIComponent(number)}`)}"
      ><bdi>${marked(memberOf(source, 'title'), words, true)}</bdi></a
    >`,
    about: html`${
      snippet !== '' && html`<span class="snippet"><bdi>${marked(snippet, words, true)}</bdi></span>`
    }${dotted([
      html`${linked(repository)}${sign}${number}`,
      !Number.isNaN(at.getTime()) && html`updated ${time(at, now)}`,
    ])}`,
  };
}

/** A Markdown file of the documentation as a row. */
const documentRow = ({ repository, source }: FoundDocument, { words }: Marks): Row => {
  const [path, title, snippet] = ['path', 'title', 'snippet'].map((name) => memberOf(source, name)) as [
    string,
    string,
    string,
  ];
  return {
    mark: icon('file'),
    title: html`<a
      href="${repositoryPage(repository, `blob/${encodedPath(repository.defaultBranch)}/${encodedPath(path)}`)}"
      ><bdi>${marked(title, words, true)}</bdi></a
    >`,
    about: html`<span class="snippet"><bdi>${marked(snippet, words, true)}</bdi></span> ${dotted([
        linked(repository),
        html`<bdi>${path}</bdi>`,
      ])}`,
  };
};

/** Documents of a section. */
export const documentHits = (
  section: 'issues' | 'mrs' | 'docs',
  hits: readonly FoundDocument[],
  marks: Marks,
  now: Date,
): HtmlPiece =>
  list(hits.map((hit) => (section === 'docs' ? documentRow(hit, marks) : numberedRow(section, hit, marks, now))));
