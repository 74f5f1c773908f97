// What follows from something small, such as an oid or a list of refs, and takes work to find.

export interface Derived<T> {
  /** All that it follows from besides the repository, as JSON: where this is the same, so is what is read. */
  readonly basis: object;
  read(): Promise<T>;
}
