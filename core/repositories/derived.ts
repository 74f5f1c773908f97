// A lazily computed answer, with the cache key it is derived from: an oid, or a list of refs.

/** An answer that is read when it is wanted, and what it follows from. */
export interface Derived<T> {
  /** All that it follows from besides the repository, as JSON: where this is the same, so is what is read. */
  readonly basis: object;
  read(): Promise<T>;
}
