// The pages of settings.
import { maskedValue } from 'hexforge/settings';
import {
  admin,
  form,
  found,
  HtmlPage,
  maybe,
  page,
  shape,
  text,
  word,
  type MenuEntry,
  type WebPage,
} from 'hexforge/plugin';
import { onlyChanged } from 'hexforge/ui';
import type { SettingsUseCases } from '#core/settings/use-cases';
import { settingList, settingPath, settingsPath, settingView } from './views.ts';

const guarded = { access: admin('admin:settings'), scope: 'admin.settings' } as const;
const one = '/admin/settings/{key}';

export const settingPages = ({ administration }: SettingsUseCases): readonly WebPage[] => [
  page({
    ...guarded,
    id: 'settingsPage',
    summary: 'All settings by plugin',
    path: '/admin/settings',
    query: shape({ q: text().max(100).default('') }),
    async run(call, { query: { q } }) {
      const wanted = q.trim().toLowerCase();
      const matching = (await administration.described(call)).filter(({ key, description }) =>
        `${key} ${description}`.toLowerCase().includes(wanted),
      );
      return new HtmlPage({ title: 'Settings', width: 'wide', main: settingList(matching, q) });
    },
  }),
  page({
    ...guarded,
    id: 'settingPage',
    summary: 'One setting',
    path: one,
    query: shape({ done: maybe(word().empty('').max(16)) }),
    async run(call, { params: { key }, query, refused }) {
      const setting = found(
        (await administration.described(call)).find((setting) => setting.key === key),
        `There is no setting "${key}"`,
      );
      return new HtmlPage({ title: key, width: 'wide', main: settingView(setting, query.done !== undefined, refused) });
    },
    forms: [
      form({
        ...guarded,
        id: 'settingUpdateForm',
        summary: 'Changes a setting',
        path: one,
        body: shape({ value: maybe(text()), shown: maybe(word().max(2000)) }),
        secrets: ['value'],
        async run(call, { params: { key }, body: { value, shown } }) {
          const { sensitive } = await administration.fetch(call, { key });
          // An empty field counts as absent. A secret is not sent to the page, so an empty field keeps it.
          const wanted = value?.replaceAll('\r\n', '\n') ?? (sensitive ? maskedValue : '');
          // An unchanged value is not stored: that of the configuration applies, also if it changes.
          if (sensitive || onlyChanged({ value: wanted }, shown).value !== undefined)
            await administration.write(call, [{ key, value: wanted }]);
          return `${settingPath(key)}?done=saved`;
        },
      }),
      form({
        ...guarded,
        id: 'settingResetForm',
        summary: 'Deletes the stored value of a setting',
        path: `${one}/reset`,
        body: shape({}),
        async run(call, { params: { key } }) {
          await administration.reset(call, { key });
          return settingPath(key);
        },
      }),
    ],
  }),
];

export const settingMenu = ({ administration }: SettingsUseCases): MenuEntry => ({
  id: 'settings',
  title: 'Settings',
  path: settingsPath,
  menu: 'admin',
  access: guarded.access,
  order: 20,
  about: 'Registration, sign-in, quotas and the like, which apply at once',
  count: async (call) => (await administration.list(call)).length,
});
