// Reads and writes the settings of repositories that plugins declare.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { Internal } from '#core/kernel/errors';
import { auditEntry } from '#core/kernel/services/audit';
import type { RepositorySettings } from '#core/kernel/services/repository-settings';
import { checkDistinct, readSetting, sentSetting } from '#core/kernel/services/setting-text';
import type { DeclaredSetting, SettingValue } from '#core/kernel/services/settings';
import type { RepositoryParts } from '../model/parts.ts';
import { isRepositoryId } from '../model/repository-id.ts';
import type { Repository } from '../model/repository.ts';

/** A setting of a repository as the API returns it. Booleans and numbers are strings. */
export interface ShownRepositorySetting {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly type: 'boolean' | 'integer' | 'string';
  readonly default: string;
}

export interface RepositorySettingChange {
  readonly key: string;
  /** The value as text. */
  readonly value: string;
}

/** The most repositories of one read. */
const most = 1000;

type Parts = Pick<RepositoryParts, 'repositorySettings' | 'repositorySettingCatalogue' | 'unitOfWork' | 'audit'>;
type Administered = Granted<Repository, 'repo.admin', User>;

export function repositorySettingUseCases({
  repositorySettings: store,
  repositorySettingCatalogue: catalogue,
  unitOfWork,
  audit,
}: Parts) {
  /** A stored value that is out of bounds after an upgrade does not apply. */
  const valueOf = ({ declaration }: DeclaredSetting<string>, text: string | undefined): SettingValue =>
    (text === undefined ? undefined : readSetting(declaration, text).value) ?? declaration.default;

  const getMany = async (repositoryIds: readonly string[], key: string): Promise<ReadonlyMap<string, SettingValue>> => {
    const declared = catalogue.of(key);
    const ids = [...new Set(repositoryIds)];
    if (ids.length > most) throw new Internal(`Settings of at most ${most} repositories are read at once`);
    const stored = await store.ofKey(ids.filter(isRepositoryId), key);
    return new Map(ids.map((id) => [id, valueOf(declared, stored.get(id))]));
  };
  const get = async (repositoryId: string, key: string): Promise<unknown> =>
    (await getMany([repositoryId], key)).get(repositoryId);

  return {
    /** The port `RepositorySettings`. */
    read: { get, getMany } as RepositorySettings,

    async list({ resource: { id } }: Administered): Promise<readonly ShownRepositorySetting[]> {
      const stored = await store.all(id);
      return catalogue.all().map((declared) => {
        const { key, description, type, default: usual } = declared.declaration;
        const value = String(valueOf(declared, stored.get(key)));
        return { key, value, description, type, default: String(usual) };
      });
    },

    /**
     * Writes all changes or none.
     * @returns each change with its value.
     * @throws {ValidationFailed} if a key occurs twice.
     * @throws {NotFound | Unprocessable} for the first invalid change.
     */
    async write(
      { resource: { id, owner, name }, call }: Administered,
      changes: readonly RepositorySettingChange[],
    ): Promise<readonly RepositorySettingChange[]> {
      checkDistinct(changes);
      const plan = changes.map(({ key, value: text }) => {
        const declared = catalogue.of(key);
        return { key, declared, value: sentSetting(declared.declaration, text) };
      });
      if (plan.length > 0)
        await unitOfWork.run(async () => {
          await store.hold(id);
          const stored = await store.all(id);
          for (const { key, declared, value } of plan) {
            const text = String(value);
            if (stored.get(key) === text) continue;
            await store.put({ repositoryId: id, key, text, updatedAt: call.now }, declared.plugin);
            const details = { owner, name, key, from: valueOf(declared, stored.get(key)), to: value };
            await audit.append(auditEntry(call, 'repository.setting_updated', `repository:${id}`, details));
          }
        });
      return plan.map(({ key, value }) => ({ key, value: String(value) }));
    },
  };
}
