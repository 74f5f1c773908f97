// Destroys connections on which a reply does not arrive (a half-open TCP connection, a proxy that lost it), so that
// pending queries fail.

/** The part of `pg`'s clients that is used here. */
export interface StallingClient {
  query: (statement: unknown, ...rest: readonly unknown[]) => unknown;
  readonly connection: { readonly stream: { destroy(): void } };
}

/** Replaces the time limit of statements by that of a migration for one transaction, here and on the server. */
export const liftBound = 'set local statement_timeout = 0';

/**
 * @param timeLimit time limit of a reply in milliseconds; longer than the server's own limit of a statement.
 * @param migration time limit in milliseconds of a statement after `liftBound`; 0: no limit.
 */
export function givingUpStalled(timeLimit: number, migration = 0): (client: StallingClient) => void {
  return (client) => {
    const query = client.query.bind(client);
    let bounded = true;
    /** Statements without a reply, and since when the first of them runs. */
    let unanswered = 0;
    let since = 0;
    /** One timer for all statements: successful ones must not cost a timer each. */
    let watch: NodeJS.Timeout | undefined;
    const look = (): void => {
      watch = undefined;
      if (unanswered === 0) return;
      const left = since + timeLimit - performance.now();
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
      watch ??= setTimeout(look, timeLimit).unref();
      answer.then(answered, answered);
      return answer;
    };
  };
}
