// The pages on which administrators configure and test the providers of sign-in.
import {
  admin,
  form,
  found,
  HtmlPage,
  maybe,
  page,
  reply,
  shape,
  text,
  ValidationFailed,
  word,
  type Call,
  type MenuEntry,
  type Sealer,
  type User,
  type WebPage,
} from 'hexforge/plugin';
import { maskedValue, type DescribedSetting, type SettingForms } from 'hexforge/settings';
import type { AdministeredProvider, IdentityUseCases } from '#core/identity/use-cases';
import { password } from '../accounts/schemas.ts';
import { providerList, providerView, trialView } from './admin-views.ts';
import { keptFlows, lastReport, providerPath, startedFlows } from './browser-steps.ts';
import { leaving, leavingTo } from './pages.ts';

const guarded = { access: admin('admin:settings'), scope: 'admin.system' } as const;
const one = '/admin/sign-in/{provider}';
const params = shape({ provider: word().max(64) });

/** The most settings of one provider that its form has. */
const mostSettings = 12;
const numbers = Array.from({ length: mostSettings }, (_, index) => index);
const settingFields = shape({
  ...Object.fromEntries(numbers.map((index) => [`setting_${index}`, maybe(text())])),
  ...Object.fromEntries(numbers.map((index) => [`secret_${index}`, maybe(text())])),
  confirm: maybe(word().max(8)),
});

type ProviderParts = Pick<IdentityUseCases, 'redirects' | 'identities' | 'trials'> & {
  readonly settingForms: () => SettingForms | undefined;
  readonly sealer: Sealer;
};

export const providerMenu = (): MenuEntry => ({
  id: 'sign-in',
  title: 'Sign-in providers',
  path: '/-/admin/sign-in',
  menu: 'admin',
  access: guarded.access,
  order: 25,
  about: 'Directories and other services through which people sign in, with a test of each',
});

export const providerPages = ({
  redirects,
  identities,
  trials,
  settingForms,
  sealer,
}: ProviderParts): readonly WebPage[] => {
  const providerOf = async (call: Call<User>, id: string): Promise<AdministeredProvider> =>
    found(
      (await redirects.configured(call)).find((provider) => provider.id === id),
      'There is no such sign-in provider',
    );
  const settingsOf = async (call: Call<User>, keys: readonly string[]): Promise<readonly DescribedSetting[]> => {
    const all = keys.length === 0 ? [] : ((await settingForms()?.described(call)) ?? []);
    return keys.slice(0, mostSettings).flatMap((key) => all.find((setting) => setting.key === key) ?? []);
  };

  return [
    page({
      ...guarded,
      id: 'signInProvidersPage',
      summary: 'All sign-in providers',
      path: '/admin/sign-in',
      run: async (call) =>
        new HtmlPage({
          title: 'Sign-in providers',
          width: 'wide',
          main: providerList(await redirects.configured(call)),
        }),
    }),
    page({
      ...guarded,
      id: 'signInProviderPage',
      summary: 'One sign-in provider: settings and tests',
      path: one,
      params,
      query: shape({ done: maybe(word().empty('').max(16)), check: maybe(word().empty('').max(8)) }),
      async run(call, { params: { provider: id }, query, header, refused }) {
        const provider = await providerOf(call, id);
        const [settings, onlyWayIn] = [await settingsOf(call, provider.settings), await identities.dependsOn(call, id)];
        const report = lastReport(header('cookie'), sealer);
        const steps = query.check === undefined ? undefined : await redirects.inspect(call, id);
        return new HtmlPage({
          title: provider.displayName,
          width: 'wide',
          main: providerView(
            {
              provider,
              settings,
              steps,
              onlyWayIn,
              saved: query.done !== undefined,
              report: report?.provider === id ? report : undefined,
            },
            call.now,
            refused,
          ),
        });
      },
      forms: [
        form({
          ...guarded,
          id: 'signInProviderSave',
          summary: 'Changes the settings of a sign-in provider',
          path: `${one}/edit`,
          body: settingFields,
          secrets: numbers.map((index) => `secret_${index}`),
          async run(call, { params: { provider: id }, body }) {
            const { settings: keys } = await providerOf(call, id);
            const values: Readonly<Record<string, string | undefined>> = body;
            const settings = await settingsOf(call, keys);
            const changes = settings.flatMap(({ key, sensitive, value, type }, index) => {
              const typed = values[`${sensitive ? 'secret' : 'setting'}_${index}`];
              // A secret is not sent to the page, so an empty field keeps it.
              const wanted =
                typed?.replaceAll('\r\n', '\n') ?? (sensitive ? maskedValue : type === 'string' ? '' : value);
              return wanted === value || wanted === maskedValue ? [] : [{ key, value: wanted }];
            });
            if (changes.length > 0 && body['confirm'] === undefined && (await identities.dependsOn(call, id)))
              throw new ValidationFailed('You could lock yourself out', {
                detail: 'This provider is your only way to sign in. Set a password first, or confirm below',
              });
            await settingForms()?.write(call, changes);
            return `${providerPath(id)}?done=saved`;
          },
        }),
        form({
          ...guarded,
          id: 'signInProviderTest',
          summary: 'Starts a test sign-in, which signs nobody in',
          path: `${one}/test`,
          body: shape({}),
          async run(call, { params: { provider: id }, header }) {
            const { displayName } = await providerOf(call, id);
            const { redirectUrl, flows } = await redirects.startTest(call, {
              provider: id,
              cookie: startedFlows(header('cookie')),
            });
            return reply(leaving(redirectUrl, displayName), {
              headers: leavingTo(redirectUrl),
              cookies: [keptFlows(flows)],
            });
          },
        }),
        form({
          ...guarded,
          id: 'directoryTest',
          summary: 'Tests a directory with a name and a password, and signs nobody in',
          path: `${one}/try`,
          body: shape({ username: word().max(256), password: maybe(password()) }),
          secrets: ['password'],
          async run(call, { params: { provider: id }, body: { username, password: secret } }) {
            const { displayName } = await providerOf(call, id);
            const steps = await trials.run(call, {
              directory: id,
              username,
              ...(secret !== undefined && { password: secret }),
            });
            return new HtmlPage({
              title: displayName,
              width: 'wide',
              main: trialView({ id, displayName }, steps),
            });
          },
        }),
      ],
    }),
  ];
};
