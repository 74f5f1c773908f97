// Background maintenance after pushes. At most one run per repository is active, and all requests during a run lead to
// one more run.
import type { RepositoryParts } from '../model/parts.ts';
import { measure } from './byte-limit.ts';

export interface Maintenance {
  request(repositoryId: string): void;
  /** Resolves when no run is active. Requested runs that have not begun are dropped. */
  stop(): Promise<void>;
}

export function maintenance(parts: Pick<RepositoryParts, 'git' | 'store' | 'unitOfWork' | 'log'>): Maintenance {
  const { git, log } = parts;
  const running = new Map<string, Promise<void>>();
  const again = new Set<string>();
  let stopped = false;

  const work = async (repositoryId: string): Promise<void> => {
    do {
      again.delete(repositoryId);
      try {
        await git.maintain(repositoryId);
        await measure(parts, repositoryId);
      } catch (error) {
        log.warn({ err: error, repository: repositoryId }, 'upkeep after a push failed');
      }
    } while (again.has(repositoryId) && !stopped);
    running.delete(repositoryId);
  };

  return {
    request(repositoryId) {
      if (stopped) return;
      if (running.has(repositoryId)) again.add(repositoryId);
      else running.set(repositoryId, work(repositoryId));
    },
    async stop() {
      stopped = true;
      await Promise.all(running.values());
    },
  };
}
