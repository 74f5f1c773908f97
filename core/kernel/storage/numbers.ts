// A store of consecutive numbers per repository, such as the numbers of its issues.

/**
 * The numbers of one kind. Operations that take a number, or that lock other rows of the repository, must call one of
 * these methods first, which locks the repository's row. A deletion of the repository also starts with that row. If the
 * row were locked later, the two could deadlock.
 */
export interface Numbers {
  /**
   * Must be called in a unit of work. Returns the next number of the repository, starting with 1. Concurrent calls for
   * the repository wait until the unit of work ends; if it fails, the number is used again.
   */
  next(repositoryId: string): Promise<number>;
  /** Must be called in a unit of work. Concurrent `next` and `hold` calls for the repository wait until it ends. */
  hold(repositoryId: string): Promise<void>;
  /** Must be called in a unit of work. The repository cannot be deleted until it ends. */
  holdRepository(repositoryId: string): Promise<void>;
}
