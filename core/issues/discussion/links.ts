// Links between issues of a repository. Creating and deleting them requires issue.write.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { found, Unprocessable, ValidationFailed } from '#core/kernel/errors';
import type { Repository } from '#core/repositories/index';
import { aboutIssue } from '../model/events.ts';
import { heldIssue, knownIssue, type Reading } from '../model/held-issue.ts';
import { checkLink, type IssueLink, type LinkType, type LinkView } from '../model/link.ts';
import type { IssueParts } from '../model/parts.ts';
import type { HeldIssue } from '../model/ports.ts';

type Parts = Pick<IssueParts, 'store' | 'links' | 'unitOfWork' | 'events' | 'ids'>;
type Writing = Granted<Repository, 'issue.write', User>;

export function linkUseCases(parts: Parts) {
  const { store, links, unitOfWork, events, ids } = parts;
  const tell = (
    type: 'issue.linked' | 'issue.unlinked',
    { call }: Writing,
    issue: HeldIssue,
    { id, type: kind, sourceId, targetId }: IssueLink,
  ) => {
    const link = { link_id: id, type: kind, source_id: sourceId, target_id: targetId };
    return events.emit({ type, ...aboutIssue(issue, call, link) });
  };
  return {
    /** All links from and to the issue, the oldest first. @throws {NotFound} */
    list: async ({ resource }: Reading, { number }: { readonly number: string }): Promise<readonly LinkView[]> =>
      links.of((await knownIssue(parts, resource, number)).id),

    /** @throws {NotFound | ValidationFailed | Unprocessable | Conflict} */
    create: (
      granted: Writing,
      {
        number,
        type,
        targetNumber,
      }: { readonly number: string; readonly type: LinkType; readonly targetNumber: number },
    ): Promise<LinkView> =>
      unitOfWork.run(async () => {
        const { resource, call } = granted;
        // Prevents concurrent links in the repository, so that two links cannot form a cycle together. The hierarchy is
        // always locked before an issue, to avoid deadlocks.
        await store.holdHierarchy(resource.id);
        const source = await heldIssue(parts, granted, number);
        const target = await store.lineage(resource.id, { number: targetNumber });
        if (target === undefined)
          throw new ValidationFailed('There is no such issue to link to', {
            detail: `"target_number": the repository has no issue ${targetNumber}`,
          });
        const link = { id: ids.uuid(), sourceId: source.id, targetId: target.id, type, createdAt: call.now };
        checkLink(link, { source: await links.of(source.id), target: await links.of(target.id) });
        if (type === 'blocks' && (await links.blocks(target.id, source.id)))
          throw new Unprocessable('Issues cannot block each other in a circle', {
            detail: `Issue ${targetNumber} blocks this one, by itself or through others`,
          });
        await links.insert(link);
        await tell('issue.linked', granted, source, link);
        return found((await links.of(source.id)).find(({ id }) => id === link.id));
      }),

    /** The issue may be the source or the target of the link. @throws {NotFound} */
    delete: (granted: Writing, { number, id }: { readonly number: string; readonly id: string }): Promise<void> =>
      unitOfWork.run(async () => {
        const issue = await heldIssue(parts, granted, number);
        const link = found(await links.delete(issue.id, id), 'There is no such link');
        await tell('issue.unlinked', granted, issue, link);
      }),
  };
}
