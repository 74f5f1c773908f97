// Giving up connections on which a reply does not come (a half-open TCP connection, a proxy that lost it): who waits
// hears that the connection broke.

/** What is used of `pg`'s clients here. */
export interface StallingClient {
  query: (statement: unknown, ...rest: readonly unknown[]) => unknown;
  readonly connection: { readonly stream: { destroy(): void } };
}

/** Lifts the server's bound for one transaction, and the one here with it: a migration may take long. */
export const liftBound = 'set local statement_timeout = 0';

/** @param patience milliseconds; beyond the bound that the server itself holds each statement to. */
export function givingUpStalled(patience: number): (client: StallingClient) => void {
  return (client) => {
    const query = client.query.bind(client);
    let bounded = true;
    client.query = (statement, ...rest) => {
      if (statement === liftBound) bounded = false;
      else if (statement === 'begin') bounded = true;
      const answer = query(statement, ...rest);
      if (!bounded || !(answer instanceof Promise)) return answer;
      const timer = setTimeout(() => client.connection.stream.destroy(), patience).unref();
      const answered = (): void => clearTimeout(timer);
      answer.then(answered, answered);
      return answer;
    };
  };
}
