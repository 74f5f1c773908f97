// Views of sign-in providers for administrators: the list, settings, and the steps of tests.
import { html, type Html, type RefusedForm, type SignInStep } from 'hexforge/plugin';
import type { DescribedSetting } from 'hexforge/settings';
import {
  button,
  checkBox,
  copyField,
  done,
  empty,
  field,
  formError,
  linkButton,
  notice,
  pill,
  refusedIn,
  select,
  table,
  textArea,
  time,
} from 'hexforge/ui';
import type { AdministeredProvider, TestReport } from '#core/identity/use-cases';
import { providerPath } from './browser-steps.ts';

const listPath = '/-/admin/sign-in';
/** Longer texts have a field of several lines. */
const oneLine = 4096;

/** All providers, with a link to each. */
export const providerList = (providers: readonly AdministeredProvider[]): Html =>
  html`<h1>Sign-in providers</h1>
    ${
      providers.length === 0
        ? empty(
            'No plugin offers another way to sign in',
            html`<p>Enable <code>oauth-login</code>, <code>ldap</code> or <code>saml</code> in the configuration.</p>`,
          )
        : table(
            ['Provider', 'How', 'State'],
            providers.map(({ id, displayName, kind, enabled }) => [
              html`<a href="${providerPath(id)}">${displayName}</a>`,
              html`${kind === 'password' ? 'name and password' : 'redirect'}`,
              enabled ? pill('on', 'good') : html`<span class="muted">off</span>`,
            ]),
          )
    }`;

const tones = { good: 'good', bad: 'bad', unknown: 'warning' } as const;
const words = { good: 'ok', bad: 'failed', unknown: 'note' } as const;

const stepList = (steps: readonly SignInStep[]): Html =>
  html`<div class="steps">
    ${table(
      ['Step', 'Result', 'Details'],
      steps.map(({ title, outcome, about }) => [
        html`${title}`,
        pill(words[outcome], tones[outcome]),
        html`<bdi>${about}</bdi>`,
      ]),
    )}
  </div>`;

/** Whether a form was refused because of this setting. */
const isAbout = (refused: RefusedForm | undefined, key: string): refused is RefusedForm & { detail: string } =>
  refused?.detail?.includes(`"${key}"`) === true;

/** The control of one setting. Its name is its position, because keys have dots. */
function control(setting: DescribedSetting, index: number, refused: RefusedForm | undefined): Html {
  const { key, type, value, sensitive, description, longest = 0 } = setting;
  const name = `${sensitive ? 'secret' : 'setting'}_${index}`;
  const own = isAbout(refused, key)
    ? { ...refused, field: name, detail: refused.detail.replaceAll(`"${key}"`, `"${name}"`) }
    : refused;
  const common = { label: description, name, hint: key, refused: own };
  if (sensitive)
    return field({
      ...common,
      type: 'password',
      autocomplete: 'new-password',
      hint: `${key}. The stored value is not shown; an empty field keeps it.`,
    });
  if (type === 'boolean')
    return select({
      ...common,
      value,
      choices: [
        { value: 'true', label: 'On' },
        { value: 'false', label: 'Off' },
      ],
    });
  return longest > oneLine ? textArea({ ...common, value, rows: 6 }) : field({ ...common, value });
}

interface ShownProvider {
  readonly provider: AdministeredProvider;
  readonly settings: readonly DescribedSetting[];
  /** The steps of a check without a user, if it was asked for. */
  readonly steps: readonly SignInStep[] | undefined;
  /** Whether the administrator could not sign in without the provider. */
  readonly onlyWayIn: boolean;
  readonly saved: boolean;
  readonly report: TestReport | undefined;
}

const lockOut = 'This provider is your only way to sign in. If it stops working, you are locked out';

const settingForm = ({ provider, settings, onlyWayIn }: ShownProvider, refused: RefusedForm | undefined): Html =>
  html`<form class="settings" method="post" action="${providerPath(provider.id)}/edit">
    ${settings.map((setting, index) => control(setting, index, refusedIn(refused, 'signInProviderSave')))}
    ${
      onlyWayIn &&
      html`${notice(html`${lockOut}. Set a password first, or confirm.`)}
      ${checkBox({ label: 'Save it although I could lock myself out', name: 'confirm' })}`
    }
    ${button('Save', { kind: 'primary' })}
  </form>`;

const reportView = ({ steps, claims, at }: TestReport, now: Date): Html =>
  html`<h3 class="part">Last test, ${time(new Date(at), now)}</h3>
    ${stepList(steps)}
    ${
      claims.length > 0 &&
      html`<h3 class="part">Answer</h3>
        <div class="steps">
          ${table(
            ['Claim', 'Value'],
            claims.map(({ name, value }) => [html`<code>${name}</code>`, html`<bdi>${value}</bdi>`]),
          )}
        </div>`
    }`;

const redirectTest = ({ provider: { id }, steps, report }: ShownProvider, now: Date): Html =>
  html`<p class="muted">
      A test goes to the provider and back. It shows the answer and the account that a sign-in would lead to. It signs
      nobody in and changes nothing.
    </p>
    <form class="actions" method="post" action="${providerPath(id)}/test">
      ${button('Test sign-in')} ${linkButton('Check the provider', `${providerPath(id)}?check=yes`)}
    </form>
    ${
      steps !== undefined &&
      html`<h3 class="part">Check</h3>
        ${stepList(steps)}`
    }
    ${report && reportView(report, now)}`;

const directoryTest = ({ provider: { id } }: ShownProvider, refused: RefusedForm | undefined): Html =>
  html`<p class="muted">
      A test searches the user and checks the password. It signs nobody in and changes nothing. Without a password only
      the search is tested.
    </p>
    <form class="settings" method="post" action="${providerPath(id)}/try">
      ${field({ label: 'Username', name: 'username', autocomplete: 'off', required: true, refused })}
      ${field({ label: 'Password', name: 'password', type: 'password', autocomplete: 'off', refused })}
      ${button('Test sign-in')}
    </form>`;

/** One provider: what to register, its settings, and its tests. */
export function providerView(shown: ShownProvider, now: Date, refused: RefusedForm | undefined): Html {
  const { provider, settings, saved } = shown;
  return html`<p class="quiet"><a href="${listPath}">Sign-in providers</a></p>
    <h1>${provider.displayName} ${provider.enabled ? pill('on', 'good') : pill('off', 'neutral')}</h1>
    ${saved && done('The settings are saved, and apply at once.')}
    ${!settings.some(({ key }) => isAbout(refused, key)) && formError(refused, 'signInProviderSave')}
    ${formError(refused, 'signInProviderTest')} ${formError(refused, 'directoryTest', 'username', 'password')}
    ${provider.registration.map(({ title, value }, index) =>
      copyField({ id: `registration-${index}`, label: title, value }),
    )}
    ${settings.length > 0 && settingForm(shown, refused)}
    ${
      provider.kind === 'password' &&
      html`<p class="muted">It is configured in the configuration file or by the environment of the server.</p>`
    }
    <h2 class="part">Test</h2>
    ${provider.kind === 'redirect' ? redirectTest(shown, now) : directoryTest(shown, refused)}`;
}

/** The steps of a test of a directory. */
export const trialView = (
  { id, displayName }: { readonly id: string; readonly displayName: string },
  steps: readonly SignInStep[],
): Html =>
  html`<p class="quiet"><a href="${listPath}">Sign-in providers</a></p>
    <h1>Test of ${displayName}</h1>
    ${stepList(steps)}
    <p>${linkButton('Another test', providerPath(id))}</p>`;
