// Views of settings: the list by plugin, and the form for one setting.
import type { DescribedSetting } from 'hexforge/settings';
import { html, type Html, type RefusedForm } from 'hexforge/plugin';
import {
  button,
  done,
  empty,
  field,
  filterBar,
  formError,
  pill,
  refusedIn,
  searchField,
  select,
  shownValues,
  table,
  textArea,
} from 'hexforge/ui';

export const settingsPath = '/-/admin/settings';
export const settingPath = (key: string): string => `${settingsPath}/${encodeURIComponent(key)}`;

/** Longer texts have a field of several lines. */
const oneLine = 200;
const number = new Intl.NumberFormat('en');
const words: Readonly<Record<string, string>> = { true: 'on', false: 'off' };

const readable = ({ type }: DescribedSetting, value: string): string =>
  value === ''
    ? 'empty'
    : type === 'boolean'
      ? (words[value] ?? value)
      : type === 'integer'
        ? number.format(Number(value))
        : value;

const valueOf = (setting: DescribedSetting): Html =>
  setting.sensitive
    ? html`<span class="muted">hidden</span>`
    : html`<bdi class="clipped">${readable(setting, setting.value)}</bdi>`;

const changed = ({ stored, value, default: usual }: DescribedSetting): boolean => stored && value !== usual;

/** The settings that match, by the plugin that declares them. */
export function settingList(settings: readonly DescribedSetting[], q: string): Html {
  const plugins = [...new Set(settings.map(({ plugin }) => plugin))];
  return html`<h1>Settings <span class="count">${String(settings.length)}</span></h1>
    <p class="muted">A change applies at once. No setting needs a restart.</p>
    ${filterBar(settingsPath, searchField('Name or description', 'q', q))}
    ${settings.length === 0 && empty('No setting matches', html`<a href="${settingsPath}">Show all</a>`)}
    <div class="by-plugin">
      ${plugins.map(
        (plugin) =>
          html`<h2>${plugin}</h2>
            ${table(
              ['Setting', 'Value', 'Default'],
              settings
                .filter((setting) => setting.plugin === plugin)
                .map((setting) => [
                  html`<a href="${settingPath(setting.key)}"><code>${setting.key}</code></a>
                    <span class="muted">${setting.description}</span>`,
                  html`${valueOf(setting)} ${changed(setting) && pill('changed', 'accent')}
                  ${setting.sensitive && pill('secret', 'warning')}`,
                  html`<bdi class="clipped muted"
                    >${setting.sensitive && setting.default !== '' ? 'hidden' : readable(setting, setting.default)}</bdi
                  >`,
                ]),
            )}`,
      )}
    </div>`;
}

/** Any error of the form is about the value. The use case names the setting. */
function valueRefused({ key }: DescribedSetting, refused: RefusedForm | undefined): RefusedForm | undefined {
  const own = refusedIn(refused, 'settingUpdateForm');
  return own && { ...own, field: 'value', detail: own.detail?.replace(`"${key}"`, '"value"') };
}

/** The control of one setting. */
function control(setting: DescribedSetting, refused: RefusedForm | undefined): Html {
  const { type, value, sensitive, bounds, longest = 0 } = setting;
  const common = { label: 'Value', name: 'value', refused: valueRefused(setting, refused) };
  const usual = sensitive && setting.default !== '' ? 'hidden' : readable(setting, setting.default);
  const hint = `The value is ${bounds}. The default is: ${usual.slice(0, oneLine)}`;
  if (sensitive)
    return field({
      ...common,
      type: 'password',
      autocomplete: 'new-password',
      hint: `${hint}. The stored value is not shown; an empty field keeps it`,
    });
  if (type === 'boolean')
    return select({
      ...common,
      value,
      hint: `The default is: ${usual}`,
      choices: [
        { value: 'true', label: 'On' },
        { value: 'false', label: 'Off' },
      ],
    });
  if (type === 'integer') return field({ ...common, type: 'number', value, hint, required: true });
  return longest > oneLine ? textArea({ ...common, value, hint, rows: 4 }) : field({ ...common, value, hint });
}

/** @param saved whether the form that changes it led here. */
export const settingView = (setting: DescribedSetting, saved: boolean, refused: RefusedForm | undefined): Html =>
  html`<p class="quiet"><a href="${settingsPath}">Settings</a></p>
    <h1>${setting.key} ${setting.sensitive && pill('secret', 'warning')}</h1>
    ${saved && done('The setting is saved, and applies at once.')} ${formError(refused, 'settingResetForm')}
    <p>${setting.description}.</p>
    <form class="form" method="post" action="${settingPath(setting.key)}">
      ${!setting.sensitive && shownValues({ value: setting.value }, valueRefused(setting, refused))}
      ${control(setting, refused)} ${button('Save', { kind: 'primary' })}
    </form>
    ${
      setting.stored &&
      html`<form method="post" action="${settingPath(setting.key)}/reset">
        <p class="hint">A reset deletes the value: that of the configuration applies, or else the default.</p>
        ${button('Reset')}
      </form>`
    }`;
