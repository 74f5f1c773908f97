// A user's own mark on a repository, a star or a watch, and the store of these.

export const marks = ['star', 'watch'] as const;
export type Mark = (typeof marks)[number];

export interface MarkStore {
  /** Whether this was new. */
  set(mark: Mark, repositoryId: string, userId: string, at: Date): Promise<boolean>;
  has(mark: Mark, repositoryId: string, userId: string): Promise<boolean>;
  /** Whether it was there. */
  remove(mark: Mark, repositoryId: string, userId: string): Promise<boolean>;
}
