// The router of hapi, which comes without types: what we use of it.
declare module '@hapi/call' {
  interface Match<T> {
    readonly route: T;
    /** Decoded. */
    readonly params: Record<string, string>;
  }

  export class Router<T> {
    /** @throws {Error} where the path is malformed or conflicts with one that is there. */
    add(config: { readonly method: string; readonly path: string }, route: T): void;
    /** @returns an error where nothing matches, or the path is not percent-encoded UTF-8. */
    route(method: string, path: string): Match<T> | Error;
  }
}
