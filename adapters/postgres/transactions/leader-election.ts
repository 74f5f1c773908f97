// Leader election between processes: the leader has an advisory lock until its database session ends.
import type { Session } from '../connection/session.ts';

/**
 * Returns a function that reports whether this process is the leader. Call it repeatedly: it becomes leader if no other
 * process is.
 */
export function leaderElection(session: Session, name: string): () => Promise<boolean> {
  let heldIn = 0;
  return async () => {
    if (heldIn !== 0 && heldIn === session.generation) return true;
    heldIn = 0;
    const [row] = await session.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [name]);
    if (row?.['taken'] === true) heldIn = session.generation;
    return heldIn !== 0;
  };
}
