// Files and queries of the specs of faults.
import { HexforgeError } from '#core/kernel/errors';
import {
  codeSection,
  folded,
  type FileHit,
  type Found,
  type IndexedFile,
  type SearchBackend,
} from '#core/search/index';

export const repositoryId = '00000000-0000-4000-8000-000000000001';
export const source = { section: codeSection, repositoryId };

export const file = (path: string, text: string): IndexedFile => ({
  path,
  oid: Buffer.from(`${path}:${text}`).toString('hex').padEnd(40, '0').slice(0, 40),
  language: '',
  size: Buffer.byteLength(text),
  text: folded(text),
  symbols: [],
});

/** Files with a term, as a caller who may read the repository of the samples. */
export const filesWith = (
  backend: SearchBackend,
  term: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<Found<FileHit>> =>
  backend.files({
    readable: { reader: { kind: 'anonymous' }, ids: async () => new Set([repositoryId]) },
    limit: 100,
    signal,
    terms: [term],
    short: [],
    languages: [],
    paths: [],
  });

export async function pathsWith(backend: SearchBackend, term: string): Promise<readonly string[]> {
  const { hits } = await filesWith(backend, term);
  return hits.map(({ path }) => path);
}

/** Writes to the index that answers. */
export async function store(backend: SearchBackend, files: readonly IndexedFile[], state = 'stored'): Promise<void> {
  const [index] = await backend.indexes();
  await index?.write(source, { files }, state);
}

/** The kind of the error that a request rejects with; `none` if it resolves, `other` for errors of other classes. */
export async function refusal(asked: Promise<unknown> | undefined): Promise<string> {
  try {
    await asked;
    return 'none';
  } catch (error) {
    return error instanceof HexforgeError ? error.kind : 'other';
  }
}
