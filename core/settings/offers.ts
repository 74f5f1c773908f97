// The port by which pages of other areas show and change settings.
import type { Call, User } from '#core/kernel/caller';
import { declarePort } from '#core/kernel/ports';
import type { DescribedSetting } from './setting.ts';

/** Reads and writes settings for administrators, whose access (`admin:settings`) the page has checked. */
export interface SettingForms {
  /** All settings, with their types and bounds. Values of sensitive ones are masked. */
  described(call: Call<User>): Promise<readonly DescribedSetting[]>;
  /**
   * Writes all changes or none. For a sensitive setting, `maskedValue` changes nothing.
   * @throws {NotFound | Unprocessable} for the first invalid change.
   */
  write(call: Call<User>, changes: readonly { readonly key: string; readonly value: string }[]): Promise<unknown>;
}

declare module '#core/kernel/ports' {
  interface OptionalPorts {
    SettingForms: SettingForms;
  }
}

declarePort('SettingForms', {
  arity: 'optional',
  component: 'settings that can be changed (plugin "settings")',
  critical: false,
  absent: 'degraded',
  methods: ['described', 'write'],
});
