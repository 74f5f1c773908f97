// Use cases of the administration of settings: read one or all, write one or several.
import { auditEntry, type AuditEntry } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import { Forbidden } from '#core/kernel/errors';
import { checkDistinct, sentSetting } from '#core/kernel/services/setting-text';
import type { DeclaredSetting, SettingValue } from '#core/kernel/services/settings';
import { settingAggregate } from './events.ts';
import type { SettingsParts } from './parts.ts';
import type { StoredSetting } from './ports.ts';
import { readStored, storedSetting } from './sealing.ts';
import {
  describedSetting,
  maskedValue,
  shownSetting,
  shownValue,
  type DescribedSetting,
  type ShownSetting,
} from './setting.ts';
import type { Values } from './values.ts';

export interface SettingChange {
  readonly key: string;
  /** The value as text. For a sensitive setting, `maskedValue` leaves the stored value unchanged. */
  readonly value: string;
}

/** A validated change. Without a value it changes nothing. */
interface Planned {
  readonly declared: DeclaredSetting;
  readonly value: SettingValue | undefined;
}

export function settingAdministration(
  { store, sealer, catalogue, unitOfWork, events, audit }: SettingsParts,
  values: Values,
) {
  /** The setting, if the caller may change it. */
  const changeable = ({ caller }: Call<User>, key: string): DeclaredSetting => {
    const declared = catalogue.of(key);
    if (declared.declaration.superAdmin === true && !caller.isAdmin)
      throw new Forbidden('Only an instance administrator may change this setting', {
        detail: `"${key}" decides who can sign in as whom`,
      });
    return declared;
  };

  const planned = (call: Call<User>, { key, value: text }: SettingChange): Planned => {
    const declared = changeable(call, key);
    const { declaration } = declared;
    if (declaration.sensitive === true && text === maskedValue) return { declared, value: undefined };
    return { declared, value: sentSetting(declaration, text) };
  };

  /** Writes the audit entry of a change, and emits its event. */
  const tell = async (call: Call<User>, key: string, details: AuditEntry['details']): Promise<void> => {
    await audit.append(auditEntry(call, 'setting.updated', settingAggregate(key), details));
    const about = { aggregate: settingAggregate(key), actorId: call.caller.id };
    await events.emit({ type: 'setting.changed', ...about, payload: { key } });
  };

  /** Must run in the unit of work, after `hold`. */
  const put = async (
    call: Call<User>,
    { declaration, configured, plugin }: DeclaredSetting,
    value: SettingValue,
    before: StoredSetting | undefined,
  ): Promise<void> => {
    const { key, sensitive = false } = declaration;
    const from = before && readStored(sealer, declaration, before).value;
    if (from === value && before?.sealed === sensitive) return;
    await store.put(storedSetting(sealer, declaration, value, call.now), plugin);
    // A value that was stored sealed stays masked in the audit log, even if the setting is no longer sensitive.
    const secret = sensitive || before?.sealed === true;
    const details = secret ? { sensitive: true } : { from: from ?? configured, to: value };
    await tell(call, key, details);
  };

  return {
    async list(_call: Call<User>): Promise<readonly ShownSetting[]> {
      const stored = await values.read();
      return catalogue
        .all()
        .map((declared) => shownSetting(declared, stored.get(declared.declaration.key) ?? declared.configured));
    },

    /** @throws {NotFound} if no enabled plugin declares the setting. */
    async fetch(_call: Call<User>, { key }: { readonly key: string }): Promise<ShownSetting> {
      const declared = catalogue.of(key);
      return shownSetting(declared, (await values.read()).get(key) ?? declared.configured);
    },

    /** All settings as `list`, with their types and bounds. */
    async described(_call: Call<User>): Promise<readonly DescribedSetting[]> {
      const stored = await values.read();
      return catalogue.all().map((declared) => {
        const value = stored.get(declared.declaration.key);
        return describedSetting(declared, value ?? declared.configured, value !== undefined);
      });
    },

    /**
     * Deletes the stored value, so that the configured value applies, or else the default.
     * @throws {NotFound} if no enabled plugin declares the setting. @throws {Forbidden}
     */
    async reset(call: Call<User>, { key }: { readonly key: string }): Promise<ShownSetting> {
      const declared = changeable(call, key);
      const { declaration, configured } = declared;
      try {
        await unitOfWork.run(async () => {
          await store.hold();
          const before = (await store.all()).find((stored) => stored.key === key);
          if (before === undefined) return;
          await store.remove(key);
          const secret = declaration.sensitive === true || before.sealed;
          const from = secret ? undefined : readStored(sealer, declaration, before).value;
          const details = secret ? { sensitive: true } : { from: from ?? configured, to: configured };
          await tell(call, key, { ...details, reset: true });
        });
      } finally {
        values.forget();
      }
      return shownSetting(declared, configured);
    },

    /**
     * Writes all changes or none.
     * @returns each change with its value in the shown form.
     * @throws {ValidationFailed} if a key occurs twice.
     * @throws {NotFound | Forbidden | Unprocessable} for the first invalid change.
     */
    async write(call: Call<User>, changes: readonly SettingChange[]): Promise<readonly SettingChange[]> {
      checkDistinct(changes);
      const plan = changes.map((change) => planned(call, change));
      if (plan.some(({ value }) => value !== undefined)) {
        try {
          await unitOfWork.run(async () => {
            await store.hold();
            const before = new Map((await store.all()).map((stored) => [stored.key, stored]));
            for (const { declared, value } of plan)
              if (value !== undefined) await put(call, declared, value, before.get(declared.declaration.key));
          });
        } finally {
          // Also after a failure, because the commit may have succeeded although its reply was lost.
          values.forget();
        }
      }
      return plan.map(({ declared: { declaration }, value }) => ({
        key: declaration.key,
        value: value === undefined ? maskedValue : shownValue(declaration, value),
      }));
    },
  };
}
