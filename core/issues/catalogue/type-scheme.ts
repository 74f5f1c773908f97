// The type scheme of a repository: the ordered list of types that new issues may have. An empty scheme allows every
// type.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { ValidationFailed } from '#core/kernel/errors';
import { aboutRepository, type Repository } from '#core/repositories/index';
import type { IssueType } from '../model/issue-type.ts';
import type { IssueParts } from '../model/parts.ts';

type Parts = Pick<IssueParts, 'types' | 'schemes' | 'unitOfWork' | 'events'>;

export function typeSchemeUseCases({ types, schemes, unitOfWork, events }: Parts) {
  return {
    fetch: ({ resource }: Pick<Granted<Repository, 'issue.read'>, 'resource'>): Promise<readonly IssueType[]> =>
      schemes.typesOf(resource.id),

    /** Existing issues keep a type that the scheme no longer has. @throws {ValidationFailed} */
    async replace(
      granted: Granted<Repository, 'repo.admin', User>,
      { typeIds }: { readonly typeIds: readonly string[] },
    ): Promise<readonly IssueType[]> {
      const { resource: repository, call } = granted;
      if (new Set(typeIds).size < typeIds.length)
        throw new ValidationFailed('A type is there twice', { detail: '"type_ids" must name each type once' });
      return unitOfWork.run(async () => {
        const known = await types.find({ where: {}, among: { id: typeIds }, orderBy: ['id'] }, 'held');
        const unknown = typeIds.find((id) => !known.some((type) => type.id === id));
        if (unknown !== undefined)
          throw new ValidationFailed('There is no such issue type', { detail: `"type_ids" names "${unknown}"` });
        const before = await schemes.typesOf(repository.id);
        if (before.length === typeIds.length && before.every(({ id }, at) => id === typeIds[at])) return before;
        await schemes.replace(repository.id, typeIds);
        const payload = { repository_id: repository.id, type_ids: typeIds };
        await events.emit({ type: 'issue_type_scheme.replaced', ...aboutRepository(repository, call), payload });
        return schemes.typesOf(repository.id);
      });
    },
  };
}

/**
 * Checks the type for a new issue or a type change, and prevents its deletion until the unit of work ends.
 * @throws {ValidationFailed} if the type does not exist or is not in the scheme.
 */
export async function allowedType(
  { types, schemes }: Pick<Parts, 'types' | 'schemes'>,
  { id: repositoryId }: Pick<Repository, 'id'>,
  typeId: string,
): Promise<IssueType> {
  const [type] = await types.find({ where: {}, among: { id: [typeId] }, orderBy: ['id'] }, 'held');
  if (type === undefined)
    throw new ValidationFailed('There is no such issue type', { detail: `"issue_type_id": "${typeId}"` });
  const scheme = await schemes.typesOf(repositoryId);
  if (scheme.length === 0 || scheme.some(({ id }) => id === typeId)) return type;
  throw new ValidationFailed('The repository does not use this issue type', {
    detail: `"issue_type_id" must be of its scheme: ${scheme.map(({ id, name }) => `${id} (${name})`).join(', ')}`,
  });
}
