// A shorter time limit for statements outside of units of work, which are reads: one that takes long must not keep a
// connection from others.
import type { PreparingClient } from './prepared-statements.ts';

/**
 * Applied to every client of a pool when it connects, before `givingUpStalled`. The session has the limit of reads.
 * Sends the limit of units of work together with `begin`, so that it costs no round trip.
 * @param deadline time limit of a statement in a unit of work; milliseconds.
 */
export function limitingReads(deadline: number): (client: PreparingClient) => void {
  const begin = `begin; set local statement_timeout = ${Math.ceil(deadline)}`;
  return (client) => {
    const query = client.query.bind(client);
    client.query = (statement, ...rest) => (statement === 'begin' ? query(begin) : query(statement, ...rest));
  };
}
