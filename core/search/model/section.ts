// The sections of documents that plugins contribute, as this area uses them.
import type { ScopeName } from '#core/kernel/access/scopes';

/** The current state of one document, read from the plugin that owns it. */
export interface ContributedDocument {
  readonly key: string;
  readonly title?: string;
  readonly text: string;
  readonly updatedAt: Date;
  readonly source: unknown;
}

/** A section of documents. */
export interface Section {
  readonly name: string;
  /** The row of the scope catalogue that a token must satisfy; null if any credential will do. */
  readonly scope: ScopeName | null;
  /** The permission that callers need on the repository, besides reading it. Absent: none. */
  readonly permission?: string;
  /** Undefined if the document no longer exists. */
  document(repositoryId: string, key: string): Promise<ContributedDocument | undefined>;
  documents(repositoryId: string): AsyncIterable<ContributedDocument>;
}
