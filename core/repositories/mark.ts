// A user's own mark on a repository, a star or a watch, and the store of these.

/** What users may set on a repository for themselves. */
export const marks = ['star', 'watch'] as const;
/** One of the marks. */
export type Mark = (typeof marks)[number];

/** Where marks are kept. */
export interface MarkStore {
  /** Whether this was new. */
  set(mark: Mark, repositoryId: string, userId: string, at: Date): Promise<boolean>;
  has(mark: Mark, repositoryId: string, userId: string): Promise<boolean>;
  /** Whether it was there. */
  remove(mark: Mark, repositoryId: string, userId: string): Promise<boolean>;
}
