// What this area asks of the world: the store of issues.

/** Where issues are kept. */
export interface IssueStore {
  /** How many each of these users wrote; users with none may be missing. */
  countByAuthor(userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** How many are open in each of these repositories; those with none may be missing. */
  countOpen(repositoryIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}
