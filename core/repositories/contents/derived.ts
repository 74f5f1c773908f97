// A response that is computed on demand, and the cache key that it depends on, such as an oid or a list of refs.

/** A response that is computed on demand, with its cache key. */
export interface Derived<T> {
  /** Everything that the result depends on except the repository, as JSON. If it is equal, the result is equal. */
  readonly basis: object;
  read(): Promise<T>;
}
