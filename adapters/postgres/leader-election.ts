// Leader election between processes: the leader holds an advisory lock until its database session ends.
import type { Session } from './session.ts';

/** Whether this process leads. To be asked again and again: it takes the lead where nobody has it. */
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
