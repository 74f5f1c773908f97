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
    client.query = (statement, ...rest) => {
      if (statement === liftBound) bounded = false;
      else if (statement === 'begin') bounded = true;
      const answer = query(
        statement === liftBound ? `set local statement_timeout = ${Math.ceil(migration)}` : statement,
        ...rest,
      );
      if (!bounded || !(answer instanceof Promise)) return answer;
      const timer = setTimeout(() => client.connection.stream.destroy(), patience).unref();
      const answered = (): void => clearTimeout(timer);
      answer.then(answered, answered);
      return answer;
    };
  };
}
