// Collects changes of files and of their documents, and writes them together.
import type { SearchIndex } from '../model/backend.ts';
import type { IndexSource, MovedFile } from '../model/documents.ts';
import type { ReadFile } from './read-file.ts';

/** A batch is written from this many characters or changes on. */
const full = { characters: 128 * 1024, changes: 100 } as const;

export class FileBatch {
  readonly #index: SearchIndex;
  readonly #source: IndexSource;
  readonly #docs: IndexSource;
  readonly #state: string;
  #files: ReadFile[] = [];
  #moved: MovedFile[] = [];
  #removed: string[] = [];
  #characters = 0;

  /** @param state stored with each write. */
  constructor(index: SearchIndex, source: IndexSource, docs: IndexSource, state: string) {
    this.#index = index;
    this.#source = source;
    this.#docs = docs;
    this.#state = state;
  }

  get isFull(): boolean {
    return (
      this.#characters >= full.characters ||
      this.#files.length + this.#moved.length + this.#removed.length >= full.changes
    );
  }

  put(read: ReadFile): void {
    this.#files.push(read);
    this.#characters += read.file.text.length;
  }

  move(moved: MovedFile): void {
    this.#moved.push(moved);
  }

  remove(path: string): void {
    this.#removed.push(path);
  }

  async flush(): Promise<void> {
    const [files, moved, removed] = [this.#files, this.#moved, this.#removed];
    [this.#files, this.#moved, this.#removed, this.#characters] = [[], [], [], 0];
    const documents = files.flatMap(({ document }) => document ?? []);
    const kept = new Set(documents.map(({ key }) => key));
    const gone = [...removed, ...files.map(({ file }) => file.path)].filter(
      (path) => isMarkdown(path) && !kept.has(path),
    );
    // The documents are written first: readers of the state look at that of the files.
    if (documents.length + gone.length > 0)
      await this.#index.write(this.#docs, { removed: gone, documents }, this.#state);
    if (files.length + moved.length + removed.length > 0)
      await this.#index.write(this.#source, { removed, moved, files: files.map(({ file }) => file) }, this.#state);
  }
}

const isMarkdown = (path: string): boolean => /\.(?:md|markdown)$/i.test(path);
