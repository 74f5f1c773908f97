// Contract checks for SettingForms: values are shown, written together, and kept secret.
import assert from 'node:assert/strict';
import type { Call, User } from '#core/kernel/caller';
import { maskedValue, type DescribedSetting, type SettingForms } from '#core/settings/index';
import type { Check } from '../checks.ts';

/** `SettingForms` that the contract suite runs on. */
export interface SettingFormsUnderTest {
  readonly forms: SettingForms;
  /** A new call of an administrator. */
  readonly call: () => Call<User>;
  /** A setting of the type `string` that accepts words. */
  readonly text: string;
  /** Such a setting that is sensitive. */
  readonly secret: string;
}

const described = async ({ forms, call }: SettingFormsUnderTest, key: string): Promise<DescribedSetting> => {
  const found = (await forms.described(call())).find((setting) => setting.key === key);
  assert.ok(found !== undefined, `"${key}" is not described`);
  return found;
};

export const settingFormsChecks: readonly Check<SettingFormsUnderTest>[] = [
  {
    name: 'a written value is shown, that of a sensitive setting only masked',
    async run(made) {
      const { forms, call, text, secret } = made;
      await forms.write(call(), [
        { key: text, value: 'contract' },
        { key: secret, value: 'contract-secret' },
      ]);
      assert.equal((await described(made, text)).value, 'contract');
      assert.deepEqual(
        [(await described(made, secret)).value, (await described(made, secret)).sensitive],
        [maskedValue, true],
      );
      assert.ok(!JSON.stringify(await forms.described(call())).includes('contract-secret'));
    },
  },
  {
    name: 'of several changes with an invalid one none is written',
    async run(made) {
      const { forms, call, text } = made;
      await forms.write(call(), [{ key: text, value: 'before' }]);
      const changes = [
        { key: text, value: 'after' },
        { key: 'no.such.setting', value: 'x' },
      ];
      await assert.rejects(async () => forms.write(call(), changes));
      assert.equal((await described(made, text)).value, 'before');
    },
  },
];
