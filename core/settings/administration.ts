// Use cases of the administration of settings: read one or all, write one or several.
import { auditEntry, type AuditLog } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import { Unprocessable, ValidationFailed } from '#core/kernel/errors';
import type { DeclaredSetting, SettingCatalogue, SettingValue } from '#core/kernel/services/settings';
import type { Events, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import { settingAggregate } from './events.ts';
import type { SettingStore, StoredSetting } from './ports.ts';
import type { Sealing } from './sealing.ts';
import { maskedValue, readSetting, shownSetting, shownValue, type ShownSetting } from './setting.ts';
import type { Values } from './values.ts';

export interface SettingAdministrationParts {
  readonly store: SettingStore;
  readonly sealing: Sealing;
  readonly catalogue: SettingCatalogue;
  readonly values: Values;
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly audit: AuditLog;
}

export interface SettingChange {
  readonly key: string;
  /** The value as text. For a sensitive setting, `maskedValue` leaves the stored value unchanged. */
  readonly value: string;
}

export interface SettingAdministration {
  list(call: Call<User>): Promise<readonly ShownSetting[]>;
  /** @throws {NotFound} if no enabled plugin declares the setting. */
  fetch(call: Call<User>, command: { readonly key: string }): Promise<ShownSetting>;
  /**
   * Writes all changes or none.
   * @returns each change with its value in the shown form.
   * @throws {ValidationFailed} if a key occurs twice. @throws {NotFound | Unprocessable} for the first invalid change.
   */
  write(call: Call<User>, changes: readonly SettingChange[]): Promise<readonly SettingChange[]>;
}

/** A validated change. Without a value it changes nothing. */
interface Planned {
  readonly declared: DeclaredSetting;
  readonly value: SettingValue | undefined;
}

export function settingAdministration(parts: SettingAdministrationParts): SettingAdministration {
  const { store, sealing, catalogue, values, unitOfWork, events, audit } = parts;

  const planned = ({ key, value: text }: SettingChange): Planned => {
    const declared = catalogue.of(key);
    const { declaration } = declared;
    if (declaration.sensitive === true && text === maskedValue) return { declared, value: undefined };
    const { value, misfit } = readSetting(declaration, text);
    if (misfit !== undefined)
      throw new Unprocessable('The value is out of bounds', { detail: `"${key}" must be ${misfit}` });
    return { declared, value };
  };

  /** Must run in the unit of work, after `hold`. */
  const put = async (
    call: Call<User>,
    { declaration, configured, plugin }: DeclaredSetting,
    value: SettingValue,
    before: StoredSetting | undefined,
  ): Promise<void> => {
    const { key, sensitive = false } = declaration;
    const from = before && sealing.read(declaration, before).value;
    if (from === value && before?.sealed === sensitive) return;
    await store.put(sealing.stored(declaration, value, call.now), plugin);
    // A value that was stored sealed stays masked in the audit log, even if the setting is no longer sensitive.
    const secret = sensitive || before?.sealed === true;
    const details = secret ? { sensitive: true } : { from: from ?? configured, to: value };
    await audit.append(auditEntry(call, 'setting.updated', settingAggregate(key), details));
    const about = { aggregate: settingAggregate(key), actorId: call.caller.id };
    await events.emit({ type: 'setting.changed', ...about, payload: { key } });
  };

  return {
    async list() {
      const stored = await values.read();
      return catalogue
        .all()
        .map((declared) => shownSetting(declared, stored.get(declared.declaration.key) ?? declared.configured));
    },

    async fetch(_call, { key }) {
      const declared = catalogue.of(key);
      return shownSetting(declared, (await values.read()).get(key) ?? declared.configured);
    },

    async write(call, changes) {
      const keys = new Set<string>();
      for (const { key } of changes) {
        if (keys.has(key))
          throw new ValidationFailed('A setting is there twice', { detail: `"settings" has "${key}" twice` });
        keys.add(key);
      }
      const plan = changes.map(planned);
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
  } satisfies SettingAdministration;
}
