// Caches the stored values of settings for a second, so that reading a setting usually needs no query.
import type { Settings, SettingValue } from '#core/kernel/services/settings';
import type { SettingsParts } from './parts.ts';
import { readStored } from './sealing.ts';

/**
 * Milliseconds that cached values are used. Changes in other processes arrive earlier through the broadcast event
 * `setting.changed`, but that event can be lost.
 */
export const staleAfter = 1000;

/** Stored values that fit their declaration, by key. */
export type StoredValues = ReadonlyMap<string, SettingValue>;

export type Values = ReturnType<typeof values>;

export function values({ store, sealer, catalogue, unitOfWork, clock, log }: SettingsParts) {
  let kept: { readonly values: StoredValues; readonly at: number } | undefined;
  /** The read in progress, shared by callers that find the cache empty. */
  let reading: Promise<StoredValues> | undefined;
  /** Setting key → the invalid text that was logged, so that each is logged once. */
  const told = new Map<string, string>();

  const read = async (): Promise<StoredValues> => {
    const stored = new Map((await store.all()).map((setting) => [setting.key, setting]));
    const fitting = new Map<string, SettingValue>();
    for (const { declaration, plugin } of catalogue.all()) {
      const setting = stored.get(declaration.key);
      if (setting === undefined) continue;
      const { value, misfit } = readStored(sealer, declaration, setting);
      if (value !== undefined) fitting.set(declaration.key, value);
      else if (told.get(declaration.key) !== setting.text) {
        told.set(declaration.key, setting.text);
        log.warn(
          { setting: declaration.key, plugin },
          `the stored value must be ${misfit}; the configured or default one counts instead`,
        );
      }
    }
    return fitting;
  };

  const readAndKeep = (): Promise<StoredValues> => {
    const at = clock.now().getTime();
    const mine = read();
    reading = mine;
    return mine.then(
      (fitting) => {
        // Skip the cache if `forget` was called or another read started meanwhile: this result may be outdated.
        if (reading === mine) {
          kept = { values: fitting, at };
          reading = undefined;
        }
        return fitting;
      },
      (error: unknown) => {
        if (reading === mine) reading = undefined;
        throw error;
      },
    );
  };

  const current = async (): Promise<StoredValues> => {
    const age = clock.now().getTime() - (kept?.at ?? 0);
    if (kept !== undefined && age >= 0 && age < staleAfter) return kept.values;
    // A unit of work sees its own uncommitted changes, which must not be cached.
    if (unitOfWork.active) return read();
    // If the shared read fails, each waiting caller reads the store itself.
    return reading === undefined ? readAndKeep() : reading.catch(read);
  };

  const get = async (key: string): Promise<unknown> => {
    const { configured } = catalogue.of(key);
    return (await current()).get(key) ?? configured;
  };

  return {
    settings: { get: get as Settings['get'] } satisfies Settings,
    /** Reads the store and bypasses the cache. */
    read,
    /** Clears the cache, so that the next read queries the store. */
    forget(): void {
      kept = undefined;
      reading = undefined;
    },
  };
}
