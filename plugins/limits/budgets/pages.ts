// The pages of the budgets of groups.
import { rateScopes, type GroupRules, type ScopeRule } from 'hexforge/limits';
import {
  camelCased,
  form,
  found,
  html,
  HtmlPage,
  maybe,
  page,
  shape,
  text,
  word,
  type Html,
  type MenuEntry,
  type RefusedForm,
  type WebPage,
} from 'hexforge/plugin';
import { button, formError, onlyChanged, pill, refusedIn, shownValues, table, textArea } from 'hexforge/ui';
import type { LimitUseCases } from '#core/limits/use-cases';
import { guarded } from '../guard.ts';
import { limitsHead, limitsPath, ruleFieldNames, ruleFieldset, ruleText } from '../rule-views.ts';
import { ruleFields } from '../schemas.ts';
import { budgetParams } from './schemas.ts';

const one = '/admin/limits/groups/{group_id}/{scope}';
const budgetPath = (groupId: string, scope: string): string =>
  `${limitsPath}/groups/${groupId}/${encodeURIComponent(scope)}`;

const matrix = (groups: readonly GroupRules[]): Html =>
  html`${limitsHead(limitsPath)}
    <p class="muted">
      The requests that each user may send, by group and kind of request. A user in several groups has the highest
      budget. Choose a budget to change it.
    </p>
    ${table(
      ['Group', ...rateScopes],
      groups.map(({ group, rules }) => [
        html`<bdi>${group.name}</bdi>`,
        ...rules.map(
          (rule) =>
            html`<a href="${budgetPath(group.id, rule.scope)}">${ruleText(rule)}</a>
              ${!rule.isDefault && pill('changed', 'accent')}`,
        ),
      ]),
    )}`;

/** The members that the form has. */
const ruleOf = ({ requestsPerWindow, windowSeconds, burst, action, enabled }: ScopeRule) => ({
  requestsPerWindow,
  windowSeconds,
  burst,
  action,
  enabled,
});

function budgetView({ group }: GroupRules, rule: ScopeRule, refused: RefusedForm | undefined): Html {
  const path = budgetPath(group.id, rule.scope);
  return html`<p class="quiet"><a href="${limitsPath}">Rate limits</a></p>
    <h1><bdi>${group.name}</bdi>, ${rule.scope} ${!rule.isDefault && pill('changed', 'accent')}</h1>
    ${formError(refused, 'rateLimitUpdateForm', ...ruleFieldNames, 'notes')} ${formError(refused, 'rateLimitResetForm')}
    <form class="form" method="post" action="${path}">
      ${shownValues(ruleOf(rule), refusedIn(refused, 'rateLimitUpdateForm'))} ${ruleFieldset(rule, refused)}
      ${textArea({ label: 'Note', name: 'notes', rows: 2, hint: 'Kept in the audit log alone', refused })}
      ${button('Save', { kind: 'primary' })}
    </form>
    ${!rule.isDefault && html`<form method="post" action="${path}/reset">${button('Reset to the default')}</form>`}`;
}

export const budgetPages = ({ budgets }: LimitUseCases): readonly WebPage[] => [
  page({
    ...guarded,
    id: 'rateLimitsPage',
    summary: 'The budget of every group for every scope',
    path: '/admin/limits',
    run: async (call) =>
      new HtmlPage({ title: 'Rate limits', width: 'wide', main: matrix(await budgets.matrix(call)) }),
  }),
  page({
    ...guarded,
    id: 'rateLimitPage',
    summary: 'One budget of a group',
    path: one,
    params: budgetParams,
    async run(call, { params, refused }) {
      const group = await budgets.ofGroup(call, camelCased(params));
      const rule = found(
        group.rules.find(({ scope }) => scope === params.scope),
        'There is no such rate-limit scope',
      );
      const main = budgetView(group, rule, refused);
      return new HtmlPage({ title: `Rate limits of ${group.group.name}`, width: 'wide', main });
    },
    forms: [
      form({
        ...guarded,
        id: 'rateLimitUpdateForm',
        summary: 'Changes a budget',
        path: one,
        body: shape({ ...ruleFields, notes: maybe(text().max(1000)), shown: maybe(word().max(2000)) }),
        async run(call, { params, body: { notes: note, shown, ...rule } }) {
          await budgets.update(call, { ...onlyChanged(camelCased(rule), shown), note, ...camelCased(params) });
          return limitsPath;
        },
      }),
      form({
        ...guarded,
        id: 'rateLimitResetForm',
        summary: 'Resets a budget to its default',
        path: `${one}/reset`,
        body: shape({}),
        async run(call, { params }) {
          await budgets.reset(call, camelCased(params));
          return limitsPath;
        },
      }),
    ],
  }),
];

export const limitsMenu: MenuEntry = {
  id: 'rateLimits',
  title: 'Rate limits',
  path: limitsPath,
  menu: 'admin',
  access: guarded.access,
  order: 30,
  about: 'Budgets of groups, narrower ones for single users or repositories, and who was refused',
};
