// Giving up connections on which a reply does not come (a half-open TCP connection, a proxy that lost it): who waits
// hears that the connection broke.

/** What is used of `pg`'s clients here. */
export interface StallingClient {
  query: (statement: unknown, ...rest: readonly unknown[]) => unknown;
  readonly connection: { readonly stream: { destroy(): void } };
}

/** Lifts the server's bound for one transaction to that of a migration, and the one here with it. */
export const liftBound = 'set local statement_timeout = 0';

/**
 * @param patience milliseconds; beyond the bound that the server itself holds each statement to.
 * @param migration milliseconds for a statement after `liftBound`; 0: any number.
 */
export function givingUpStalled(patience: number, migration = 0): (client: StallingClient) => void {
  return (client) => {
    const query = client.query.bind(client);
    let bounded = true;
    /** Statements without an answer, and since when the first of them has its turn. */
    let unanswered = 0;
    let since = 0;
    /** One for many statements: what goes well is not to cost a timer each. */
    let watch: NodeJS.Timeout | undefined;
    const look = (): void => {
      watch = undefined;
      if (unanswered === 0) return;
      const left = since + patience - performance.now();
      if (left <= 0) client.connection.stream.destroy();
      else watch = setTimeout(look, left).unref();
    };
    const answered = (): void => {
      unanswered -= 1;
      since = performance.now();
    };
    client.query = (statement, ...rest) => {
      if (statement === liftBound) bounded = false;
      else if (statement === 'begin') bounded = true;
      const answer = query(
        statement === liftBound ? `set local statement_timeout = ${Math.ceil(migration)}` : statement,
        ...rest,
      );
      if (!bounded || !(answer instanceof Promise)) return answer;
      unanswered += 1;
      if (unanswered === 1) since = performance.now();
      watch ??= setTimeout(look, patience).unref();
      answer.then(answered, answered);
      return answer;
    };
  };
}
