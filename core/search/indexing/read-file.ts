// Reads a file from git and derives what an index stores of it.
import { languageOf, type GitBackend, type Oid } from '#core/repositories/index';
import type { IndexedFile, SectionDocument } from '../model/documents.ts';
import type { SymbolReader } from '../model/symbol.ts';
import { folded } from '../query/folded.ts';
import { bounded, isBinary, isEligiblePath, isGenerated, largestFile } from './eligible.ts';
import { markdownDocument } from './markdown-document.ts';

export interface FileParts {
  readonly git: Pick<GitBackend, 'blob'>;
  readonly symbols: Pick<SymbolReader, 'read'>;
}

/** A file with the document of the section `docs` that it also is. */
export interface ReadFile {
  readonly file: IndexedFile;
  readonly document: SectionDocument | undefined;
}

const utf8 = new TextDecoder();

/** A file of a commit. */
interface TreeFile {
  readonly path: string;
  readonly oid: Oid;
}

/** Undefined for a file that is not indexed. */
export async function readText(
  git: FileParts['git'],
  repositoryId: string,
  { path, oid }: TreeFile,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly size: number } | undefined> {
  if (!isEligiblePath(path)) return undefined;
  const blob = await git.blob(repositoryId, oid, signal);
  if (blob.size > largestFile) {
    // A stream that is never read would occupy its git process until a time limit.
    for await (const _ of blob.bytes) break;
    return undefined;
  }
  const bytes = await gathered(blob.bytes, blob.size);
  if (isBinary(bytes)) return undefined;
  const whole = utf8.decode(bytes);
  const { text, lines } = bounded(whole);
  return isGenerated(whole, lines) ? undefined : { text, size: blob.size };
}

/** Undefined for a file that is not indexed. */
export async function readFile(
  { git, symbols }: FileParts,
  repository: { readonly id: string; readonly updatedAt: Date },
  { path, oid }: TreeFile,
  signal: AbortSignal,
): Promise<ReadFile | undefined> {
  const read = await readText(git, repository.id, { path, oid }, signal);
  if (read === undefined) return undefined;
  const { text, size } = read;
  const language = languageOf(path);
  const file = {
    path,
    oid,
    language,
    size,
    text: folded(text),
    symbols: await symbols.read({ language, path, text }, signal),
  };
  return { file, document: language === 'markdown' ? markdownDocument(path, text, repository.updatedAt) : undefined };
}

async function gathered(stream: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for await (const chunk of stream) {
    bytes.set(chunk.subarray(0, size - at), at);
    at += chunk.length;
    if (at >= size) break;
  }
  return bytes;
}
