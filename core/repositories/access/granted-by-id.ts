// Decides access for callers that know the id of a repository and not its path, such as the handlers of events.
import type { AccessDecision, GrantOf, ResourceRule } from '#core/kernel/access/access';
import type { ScopeName } from '#core/kernel/access/scopes';
import type { Call } from '#core/kernel/caller';
import { found, NotFound } from '#core/kernel/errors';
import type { Repositories } from '../model/offers.ts';
import { isRepositoryId } from '../model/repository-id.ts';

/** An access rule about a repository, and the scope that a token needs. */
export interface RepositoryAccess<P extends string = string, N extends boolean = boolean> {
  readonly access: ResourceRule<'repository', P, N>;
  readonly scope: ScopeName;
}

/**
 * Builds a function that authenticates the caller of a call again and decides access to a repository by its id, with
 * the same results as for its path. Each decision about a bot counts as one of its requests. The given call is
 * unchanged, so one call can be used any number of times.
 *
 * @example
 *   const canWrite = async (access: AccessDecision, repositories: Repositories, call: Call, id: string) => {
 *     const decide = grantedById({ access, repositories });
 *     const granted = await decide(call, { access: reads('repository', 'repo.read'), scope: 'repo.read' }, id);
 *     return granted.may('repo.write');
 *   };
 */
export const grantedById =
  ({ access, repositories }: { readonly access: AccessDecision; readonly repositories: Pick<Repositories, 'byId'> }) =>
  /** @throws {Unauthorized | InsufficientScope | Forbidden | RateLimited | NotFound} */
  async <P extends string, N extends boolean>(
    call: Call,
    rule: RepositoryAccess<P, N>,
    repositoryId: string,
  ): Promise<GrantOf<ResourceRule<'repository', P, N>>> => {
    await call.charge?.(rule.access.needsUser ? 'api.write' : 'api.read');
    const current = await call.renew();
    const repository = found(isRepositoryId(repositoryId) ? await repositories.byId(repositoryId) : undefined);
    const path = { owner: repository.owner, repo: repository.name };
    const granted = await access.decide(current, rule.access, rule.scope, path);
    // Another repository has the path if this one was renamed meanwhile.
    if (granted.resource.id !== repository.id) throw new NotFound('Not found');
    return granted;
  };
