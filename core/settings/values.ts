// The values in effect: what is stored is kept here for a second, so that asking for a setting costs no query.
import type { Log } from '#core/kernel/log';
import type { SettingCatalogue, Settings, SettingValue } from '#core/kernel/settings';
import type { Clock } from '#core/kernel/time';
import type { UnitOfWork } from '#core/kernel/unit-of-work';
import type { SettingStore } from './ports.ts';
import type { Sealing } from './sealing.ts';

/**
 * Milliseconds. What another process has stored is heard of as it happens (`setting.changed`); where the message is
 * lost, it counts here after so long.
 */
export const staleAfter = 1000;

/** Stored values that fit their declaration, by key. */
export type StoredValues = ReadonlyMap<string, SettingValue>;

export interface ValueParts {
  readonly store: SettingStore;
  readonly sealing: Sealing;
  readonly catalogue: SettingCatalogue;
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Values {
  readonly settings: Settings;
  /** From the store, whatever is kept. */
  read(): Promise<StoredValues>;
  /** The next to ask reads the store. */
  forget(): void;
}

export function values({ store, sealing, catalogue, unitOfWork, clock, log }: ValueParts): Values {
  let kept: { readonly values: StoredValues; readonly at: number } | undefined;
  /** The read that those wait for who ask while nothing is kept. */
  let reading: Promise<StoredValues> | undefined;
  /** Key → the text that was complained of, so that each is told once. */
  const told = new Map<string, string>();

  const read = async (): Promise<StoredValues> => {
    const stored = new Map((await store.all()).map((setting) => [setting.key, setting]));
    const fitting = new Map<string, SettingValue>();
    for (const { declaration, plugin } of catalogue.all()) {
      const setting = stored.get(declaration.key);
      if (setting === undefined) continue;
      const { value, misfit } = sealing.read(declaration, setting);
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
        // A change since has taken its place: what was read may be from before.
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
    // What a unit of work sees is its own until it has been committed.
    if (unitOfWork.active) return read();
    // The trouble of who asked first is not that of the others.
    return reading === undefined ? readAndKeep() : reading.catch(read);
  };

  const get = async (key: string): Promise<unknown> => {
    const { configured } = catalogue.of(key);
    return (await current()).get(key) ?? configured;
  };

  return {
    settings: { get: get as Settings['get'] } satisfies Settings,
    read,
    forget() {
      kept = undefined;
      reading = undefined;
    },
  };
}
