// Validation of setting values.
import t from 'tap';
import { settingMisfit, type SettingDeclaration } from '#core/kernel/services/settings';

declare module '#core/kernel/services/settings' {
  interface SettingValues {
    'kernel.word': string;
  }
}

void t.test('a text is checked for its length, then by its own check', (t) => {
  const misfit = (value: unknown, check: (value: string) => unknown): string | undefined =>
    settingMisfit(
      {
        key: 'kernel.word',
        type: 'string',
        default: '',
        maxLength: 9,
        description: 'One word',
        check,
      } as SettingDeclaration,
      value,
    );
  const oneWord = (value: string) => (value.includes(' ') ? `one word, which "${value}" is not` : undefined);
  t.equal(misfit('word', oneWord), undefined);
  t.equal(misfit('two words', oneWord), 'one word, which "two words" is not');
  t.equal(misfit('three words.', oneWord), 'a text of at most 9 characters');
  t.equal(misfit(7, oneWord), 'a text of at most 9 characters');
  t.equal(
    misfit('word', () => {
      throw new Error('no');
    }),
    'a text that the check of "kernel.word" can judge: it threw',
  );
  t.end();
});
