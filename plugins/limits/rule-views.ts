// Parts of the pages of rate limits: the tabs above them, a rule in words, and the fields of a rule.
import { counts, rateActions, ruleBounds, type RateRule } from 'hexforge/limits';
import { html, type Html, type RefusedForm } from 'hexforge/plugin';
import { checkBox, field, select, tabs } from 'hexforge/ui';

export const limitsPath = '/-/admin/limits';
export const overridesPath = `${limitsPath}/overrides`;
export const violationsPath = `${limitsPath}/violations`;

const pages = [
  ['Budgets', limitsPath],
  ['Overrides', overridesPath],
  ['Violations', violationsPath],
] as const;

/** The title of the pages, and the tabs that lead to each other. @param count of the rows of the current one. */
export const limitsHead = (current: string, count?: number): Html =>
  html`<h1>Rate limits</h1>
    ${tabs(
      'Rate limits',
      pages.map(([title, href]) => ({ title, href, current: href === current, ...(href === current && { count }) })),
    )}`;

const number = new Intl.NumberFormat('en');

/** Such as "3,000 in 60 s". */
export function ruleText(rule: RateRule): string {
  if (!counts(rule)) return 'does not apply';
  if (rule.action === 'allow') return 'no limit';
  const burst = rule.burst > 0 ? ` + ${number.format(rule.burst)}` : '';
  return `${number.format(rule.requestsPerWindow)}${burst} in ${number.format(rule.windowSeconds)} s`;
}

const actions = {
  throttle: 'Refuse requests beyond it',
  allow: 'Refuse none',
  disabled: 'Ignore the rule',
} as const;

const between = ([least, most]: readonly [number, number]): string =>
  `${number.format(least)} to ${number.format(most)}`;

const counted = (label: string, name: string, value: number | undefined, hint: string, refused?: RefusedForm): Html =>
  field({
    label,
    name,
    type: 'number',
    required: true,
    ...(value !== undefined && { value: String(value) }),
    hint,
    refused,
  });

/** The fields of a rule. */
export const ruleFieldset = (rule: Partial<RateRule>, refused: RefusedForm | undefined): Html =>
  html`${counted(
    'Requests',
    'requests_per_window',
    rule.requestsPerWindow,
    `In each window, ${between(ruleBounds.requestsPerWindow)}`,
    refused,
  )}
  ${counted('Window', 'window_seconds', rule.windowSeconds, `Seconds, ${between(ruleBounds.windowSeconds)}`, refused)}
  ${counted('Burst', 'burst', rule.burst, `Requests beyond those, ${between(ruleBounds.burst)}`, refused)}
  ${select({
    label: 'Beyond the budget',
    name: 'action',
    value: rule.action ?? 'throttle',
    choices: rateActions.map((value) => ({ value, label: actions[value] })),
    refused,
  })}
  ${checkBox({ label: 'The rule applies', name: 'enabled', value: rule.enabled ?? true, refused })}`;

/** The names of these fields. */
export const ruleFieldNames = ['requests_per_window', 'window_seconds', 'burst', 'action', 'enabled'] as const;
