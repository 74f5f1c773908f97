// The README of a folder, below its files.
import { html, type Call, type Granted, type Html } from 'hexforge/plugin';
import type { DirectoryEntry, Repository } from 'hexforge/repositories';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { blobPath } from './links.ts';
import { isMarkdown, markdownFile, shownText, type Texts } from './texts.ts';

/** In this order. */
const readmeNames = [/^readme\.(?:md|markdown|mdown)$/i, /^readme$/i, /^readme\.(?:txt|rst|adoc)$/i] as const;

export async function readme(
  useCases: Pick<RepositoryUseCases, 'contents'>,
  texts: Texts,
  granted: Granted<Repository, 'repo.read'>,
  call: Call,
  ref: string,
  entries: readonly DirectoryEntry[],
): Promise<Html | false> {
  const files = entries.filter(({ type }) => type === 'file');
  const entry = readmeNames
    .map((name) => files.find((file) => name.test(file.name)))
    .find((file) => file !== undefined);
  if (entry === undefined) return false;
  const { path } = entry;
  const found = await useCases.contents(granted, { ref, path });
  const text = found.kind === 'file' ? shownText(await found.read()) : undefined;
  if (text === undefined || text.trim() === '') return false;
  const shown = isMarkdown(path)
    ? html`<div class="body">${await markdownFile(texts, text, { granted, call, ref, path })}</div>`
    : html`<pre class="text">${text}</pre>`;
  return html`<section class="readme box" aria-label="${entry.name}">
    <div class="head">
      <a href="${blobPath(granted.resource, ref, path)}"><bdi>${entry.name}</bdi></a>
    </div>
    ${shown}
  </section>`;
}
