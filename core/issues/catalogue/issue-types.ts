// The instance's catalogue of issue types. Every signed-in user reads it, and only instance administrators change it.
import { auditEntry } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import { changed } from '#core/kernel/storage/changed';
import { Conflict, found, onDuplicate, StillReferenced, Unprocessable } from '#core/kernel/errors';
import { isBuiltIn, maxTypes, typeDisplayName, typeName, type IssueType } from '../model/issue-type.ts';
import type { IssueParts } from '../model/parts.ts';

type Parts = Pick<IssueParts, 'types' | 'unitOfWork' | 'events' | 'audit' | 'ids'>;
const missing = 'There is no such issue type';
type Change = 'created' | 'updated' | 'deleted';

/** The members of a type that can change. */
export type IssueTypeChange = Partial<Pick<IssueType, 'displayName' | 'description' | 'color' | 'icon' | 'position'>>;
/** A new type. Without a position it is placed last. */
export type NewIssueType = Pick<IssueType, 'name' | 'displayName' | 'color'> & Partial<IssueType>;

export function issueTypeUseCases({ types, unitOfWork, events, audit, ids }: Parts) {
  const list = (): Promise<readonly IssueType[]> => types.find({ where: {}, orderBy: ['position', 'name'] });

  const tell = async (call: Call<User>, change: Change, type: IssueType): Promise<IssueType> => {
    const { id, name, displayName } = type;
    const about = { aggregate: `issue_type:${id}`, actorId: call.caller.id };
    await events.emit({ type: `issue_type.${change}`, ...about, payload: { issue_type_id: id, name } });
    await audit.append(auditEntry(call, `issue_type.${change}`, about.aggregate, { name, display_name: displayName }));
    return type;
  };

  return {
    list: (_call: Call<User>): Promise<readonly IssueType[]> => list(),

    /** @throws {NotFound} */
    fetch: async (_call: Call<User>, { id }: { readonly id: string }): Promise<IssueType> =>
      found(await types.findOne({ id }), missing),

    /** @throws {ValidationFailed | Conflict | Unprocessable} */
    async create(call: Call<User>, { name, displayName, ...members }: NewIssueType): Promise<IssueType> {
      const named = { name: typeName(name), displayName: typeDisplayName(displayName) };
      return onDuplicate(
        () =>
          unitOfWork.run(async () => {
            if ((await types.count({}, 'held')) >= maxTypes)
              throw new Unprocessable('The catalogue has no room for another issue type', {
                detail: `It has at most ${maxTypes}; delete one that no issue has`,
              });
            const type: IssueType = {
              description: '',
              icon: '',
              isSubtask: false,
              position: ((await list()).at(-1)?.position ?? 0) + 1,
              ...members,
              ...named,
              id: ids.uuid(),
            };
            return tell(call, 'created', await types.insert(type));
          }),
        (cause) =>
          new Conflict('There is an issue type of this name already', {
            detail: `"name": "${named.name}" is in use`,
            cause,
          }),
      );
    },

    /** The name of a type never changes. @throws {ValidationFailed | NotFound} */
    async update(call: Call<User>, { id, ...patch }: IssueTypeChange & { readonly id: string }): Promise<IssueType> {
      if (patch.displayName !== undefined) typeDisplayName(patch.displayName);
      return unitOfWork.run(async () => {
        const before = found(await types.findOne({ id }), missing);
        const changes = changed(before, patch);
        if (Object.keys(changes).length === 0) return before;
        return tell(call, 'updated', found(await types.update({ id }, changes), missing));
      });
    },

    /** Also removes the type from all schemes. @throws {NotFound} @throws {Conflict} if an issue has the type. */
    async delete(call: Call<User>, { id }: { readonly id: string }): Promise<void> {
      if (isBuiltIn({ id }))
        throw new Conflict('A built-in issue type cannot be deleted', {
          detail: 'A scheme without it keeps it from new issues of a repository',
        });
      try {
        await unitOfWork.run(async () => tell(call, 'deleted', found(await types.delete({ id }), missing)));
      } catch (error) {
        if (!(error instanceof StillReferenced)) throw error;
        throw new Conflict('The issue type is in use', {
          detail: 'Issues have it; give them another one',
          cause: error,
        });
      }
    },
  };
}
