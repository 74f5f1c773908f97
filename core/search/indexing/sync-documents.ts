// Brings documents of a section in one index up to date: single ones, or all of a repository.
import type { SearchIndex } from '../model/backend.ts';
import type { IndexSource, SectionDocument } from '../model/documents.ts';
import type { ContributedDocument, Section } from '../model/section.ts';
import { beginning } from '#core/kernel/clipping';

/** Characters of a title and of a text. */
const longest = { title: 1000, text: 64 * 1024, key: 500 } as const;
/** Documents that are written at a time, and the most of a repository; further ones are not indexed. */
const batch = 100;
const mostDocuments = 200_000;

/** The state of a source whose documents are all stored. */
const whole = 'whole';
const partial = 'partial';

const stored = ({ key, title = '', text, updatedAt, source }: ContributedDocument): SectionDocument => ({
  key,
  title: beginning(title, longest.title),
  text: text.slice(0, longest.text),
  updatedAt,
  source,
});

/** Whether all documents have to be read first. */
export const isWhole = async (index: SearchIndex, source: IndexSource): Promise<boolean> =>
  (await index.state(source)) === whole;

export async function syncDocuments(
  index: SearchIndex,
  section: Section,
  repositoryId: string,
  keys: readonly string[],
): Promise<void> {
  const read = await Promise.all(keys.map((key) => section.document(repositoryId, key)));
  const documents = read.flatMap((document) => (document === undefined ? [] : [stored(document)]));
  const removed = keys.filter((_, place) => read[place] === undefined);
  await index.write({ section: section.name, repositoryId }, { removed, documents }, whole);
}

export async function syncAllDocuments(
  index: SearchIndex,
  section: Section,
  repositoryId: string,
  signal: AbortSignal,
): Promise<void> {
  const source = { section: section.name, repositoryId };
  const seen = new Set<string>();
  let documents: SectionDocument[] = [];
  const flush = async (): Promise<void> => {
    signal.throwIfAborted();
    await index.write(source, { documents }, partial);
    documents = [];
  };
  await flush();
  for await (const document of section.documents(repositoryId)) {
    if (document.key.length > longest.key) continue;
    if (seen.size >= mostDocuments) break;
    seen.add(document.key);
    documents.push(stored(document));
    if (documents.length >= batch) await flush();
  }
  await flush();
  for (let after: string | undefined; ;) {
    const entries = await index.entries(source, after, 1000);
    const removed = entries.flatMap(({ key }) => (seen.has(key) ? [] : key));
    if (removed.length > 0) await index.write(source, { removed }, partial);
    after = entries.at(-1)?.key;
    if (entries.length < 1000) break;
  }
  await index.write(source, {}, whole);
}
