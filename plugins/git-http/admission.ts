// Who may fetch and who may push: the rule depends on the service asked for, so the one access decision is asked here.
import { changes, reads, type AccessDecision, type Call, type GrantOf, type ScopeName } from 'hexforge/plugin';

export interface RepositoryParams {
  readonly owner: string;
  readonly repo: string;
}

/**
 * Document D, "Repositories": anonymous is challenged, also where there is nothing; 404 to who may not read, 403 to who
 * may read but not push.
 */
const rules = {
  fetch: reads('repository', 'repo.read', { anonymous: 401 }),
  push: changes('repository', 'repo.write'),
} as const;
const scopes = { fetch: 'repo.read', push: 'repo.write' } as const satisfies Record<keyof typeof rules, ScopeName>;

export interface Admission {
  readonly access: AccessDecision;
}

/** The `.git` of a clone URL is optional, and no repository's name ends so. */
const named = ({ owner, repo }: RepositoryParams) => ({ owner, repo: repo.replace(/\.git$/, '') });

/** @throws {Unauthorized | InsufficientScope | Forbidden | NotFound} */
export function admitted<K extends keyof typeof rules>(
  { access }: Admission,
  call: Call,
  kind: K,
  path: RepositoryParams,
): Promise<GrantOf<(typeof rules)[K]>> {
  return access.decide(call, rules[kind], scopes[kind], named(path));
}
