// The access decision for fetch and push. The routes call it themselves, because the rule depends on the requested
// service.
import { changes, reads, type AccessDecision, type Call, type GrantOf, type ScopeName } from 'hexforge/plugin';

export interface RepositoryParams {
  readonly owner: string;
  readonly repo: string;
}

/**
 * Anonymous callers are challenged with 401, also if the repository does not exist. A caller who may not read gets 404;
 * one who may read but not push gets 403.
 */
const rules = {
  fetch: reads('repository', 'repo.read', { anonymous: 401 }),
  push: changes('repository', 'repo.write'),
} as const;
const scopes = { fetch: 'repo.read', push: 'repo.write' } as const satisfies Record<keyof typeof rules, ScopeName>;

export interface Admission {
  readonly access: AccessDecision;
}

/** The `.git` of a clone URL is optional, and no repository name ends with it. */
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
