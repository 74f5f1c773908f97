// All use cases of the area for its own plugin, built once from its parts.
import { issueTypeUseCases } from './issue-types.ts';
import { namedUseCases } from './named.ts';
import { repositoryCounters, userReferences } from './offers.ts';
import type { IssueParts } from './parts.ts';
import { typeSchemeUseCases } from './type-scheme.ts';
import type { VersionMembers } from './version.ts';

export type IssueUseCases = ReturnType<typeof issueUseCases>;

export function issueUseCases(parts: IssueParts) {
  return {
    types: issueTypeUseCases(parts),
    typeScheme: typeSchemeUseCases(parts),
    components: namedUseCases<object>({ ...parts, rows: parts.components, noun: 'component' }),
    versions: namedUseCases<VersionMembers>({ ...parts, rows: parts.versions, noun: 'version' }),
    repositoryCounters: repositoryCounters(parts),
    userReferences: userReferences(parts),
  };
}
