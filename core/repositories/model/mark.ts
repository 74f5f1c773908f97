// Stars and watches, which users set on a repository for themselves, and their store.

/** The marks that a user can set on a repository. */
export const marks = ['star', 'watch'] as const;
/** One of the marks. */
export type Mark = (typeof marks)[number];

/** Stores marks. */
export interface MarkStore {
  /** Returns whether the mark is new. */
  set(mark: Mark, repositoryId: string, userId: string, at: Date): Promise<boolean>;
  has(mark: Mark, repositoryId: string, userId: string): Promise<boolean>;
  /** Returns whether the mark existed. */
  remove(mark: Mark, repositoryId: string, userId: string): Promise<boolean>;
}
