// What this area offers to others, reached through ports its plugin provides.
import type { Granted } from '#core/kernel/access';
import type { Caller } from '#core/kernel/caller';
import { declarePort } from '#core/kernel/ports';
import type { ServeRequest } from './git-backend.ts';
import type { Repository } from './repository.ts';

/**
 * Receives pushes, with everything that belongs to one: the rules, the intent, the events, the default branch, upkeep.
 */
export interface Pushes {
  /**
   * Serves `POST /git-receive-pack` for a caller who may write. The answer is to be read to its end or returned early.
   */
  receive(
    granted: Granted<Repository, 'repo.write'>,
    request: Omit<ServeRequest, 'service'>,
  ): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * For handlers and jobs, which come by an id and have no caller: nothing is decided about access here. A plugin whose
 * tables refer to repositories needs this port.
 */
export interface Repositories {
  byId(id: string): Promise<Repository | undefined>;
  /** Of these users, those who may read the repository, as administrators of the instance too. */
  readers(repositoryId: string, userIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Of a record, what other areas count (document B, "Repository record"). */
export interface RepositoryCounts {
  readonly stars: number;
  readonly forks: number;
  readonly watchers: number;
  readonly openIssues: number;
  readonly openMergeRequests: number;
  /** The caller's own state. */
  readonly starred: boolean;
  readonly watching: boolean;
}

/** The counts of a repository of which there is nothing to count. */
export const noCounts: RepositoryCounts = {
  stars: 0,
  forks: 0,
  watchers: 0,
  openIssues: 0,
  openMergeRequests: 0,
  starred: false,
  watching: false,
};

/** Fills members of the counts for a batch of repositories; each provider answers for its own. */
export interface RepositoryCounters {
  counts(repositoryIds: readonly string[], caller: Caller): Promise<ReadonlyMap<string, Partial<RepositoryCounts>>>;
}

declare module '#core/kernel/ports' {
  interface Ports {
    Pushes: Pushes;
    Repositories: Repositories;
  }
  interface PluralPorts {
    RepositoryCounters: RepositoryCounters;
  }
}

declarePort('Pushes', {
  arity: 'single',
  component: 'repositories (plugin "repositories")',
  critical: true,
  absent: 'refuse',
});
declarePort('Repositories', {
  arity: 'single',
  component: 'repository records (plugin "repositories")',
  critical: true,
  absent: 'refuse',
});
declarePort('RepositoryCounters', {
  arity: 'plural',
  component: 'repository counters',
  critical: false,
  absent: 'degraded',
  methods: ['counts'],
});
