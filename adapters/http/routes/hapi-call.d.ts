// Types for the part of hapi's router that we use; the package has no types.
declare module '@hapi/call' {
  interface Match<T> {
    readonly route: T;
    /** Path parameters, decoded. */
    readonly params: Record<string, string>;
  }

  export class Router<T> {
    /** @throws {Error} if the path is malformed or conflicts with an earlier one. */
    add(config: { readonly method: string; readonly path: string }, route: T): void;
    /** @returns an error if nothing matches, or if the path is not percent-encoded UTF-8. */
    route(method: string, path: string): Match<T> | Error;
  }
}
