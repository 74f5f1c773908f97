// The pages of overrides.
import { overrideKinds, rateScopes, type Override, type OverrideKind } from 'hexforge/limits';
import {
  camelCased,
  form,
  HexforgeError,
  html,
  HtmlPage,
  maybe,
  oneOf,
  page,
  pageQuery,
  pageRules,
  readPage,
  reads,
  shape,
  text,
  uuidPattern,
  ValidationFailed,
  word,
  type AccessDecision,
  type Call,
  type Html,
  type Page,
  type RefusedForm,
  type User,
  type WebPage,
} from 'hexforge/plugin';
import {
  button,
  confirmButton,
  empty,
  field,
  filterBar,
  filterChoice,
  formError,
  linkButton,
  pagination,
  pill,
  select,
  table,
  time,
} from 'hexforge/ui';
import type { LimitUseCases } from '#core/limits/use-cases';
import { guarded } from '../guard.ts';
import { limitsHead, overridesPath, ruleFieldNames, ruleFieldset, ruleText } from '../rule-views.ts';
import { ruleFields } from '../schemas.ts';

const titles: Readonly<Record<OverrideKind, string>> = {
  users: 'Users',
  tokens: 'Personal access tokens',
  apps: 'Applications',
  repos: 'Repositories',
};
const kinds = Object.entries(titles).map(([value, label]) => ({ value, label }));
const kindName = () =>
  oneOf(...overrideKinds)
    .empty('')
    .default('users');

const editPath = ({ kind, targetId, scope }: Pick<Override, 'kind' | 'targetId' | 'scope'>): string =>
  `${overridesPath}/edit?${new URLSearchParams({ kind, target: targetId, scope }).toString()}`;

const removal = ({ kind, targetId, scope }: Override): Html =>
  confirmButton('Delete…', {
    action: `${overridesPath}/delete`,
    fields: { kind, target: targetId, scope },
    about: 'The budget of the group applies again.',
    confirm: 'Delete the override',
  });

const overrideList = (
  kind: OverrideKind,
  overrides: Page<Override>,
  names: ReadonlyMap<string, string>,
  { url, now, refused }: { readonly url: string; readonly now: Date; readonly refused: RefusedForm | undefined },
): Html =>
  html`${limitsHead(overridesPath, overrides.total)} ${formError(refused, 'rateLimitOverrideDeleteForm')}
  ${filterBar(
    overridesPath,
    filterChoice('Kind', 'kind', kind, kinds),
    linkButton('New override', `${overridesPath}/edit?kind=${kind}`, { kind: 'primary' }),
  )}
  ${
    overrides.items.length === 0
      ? empty('There is no override of this kind', 'An override narrows the budget of one thing.')
      : table(
          [titles[kind], 'Kind of request', 'Budget', 'Reason', 'Changed', ''],
          overrides.items.map((one) => [
            html`<a href="${editPath(one)}"><bdi>${names.get(one.targetId) ?? one.targetId}</bdi></a>`,
            one.scope,
            ruleText(one),
            html`<bdi>${one.reason}</bdi>`,
            html`${time(one.updatedAt, now)} ${one.byAdmin && pill('by an administrator')}`,
            removal(one),
          ]),
        )
  }
  ${pagination(url, overrides)}`;

const overrideForm = (
  { kind, target, scope }: { readonly kind: OverrideKind; readonly target: string; readonly scope: string },
  known: Override | undefined,
  refused: RefusedForm | undefined,
): Html => {
  const chosen = html`${select({ label: 'Kind', name: 'kind', value: kind, choices: kinds, refused })}
  ${field({
    label: 'For',
    name: 'target',
    required: true,
    value: target,
    hint: 'For a user the username, for a repository owner/name or its id, else the id of the token or application',
    autocomplete: 'off',
    refused,
  })}
  ${select({
    label: 'Kind of request',
    name: 'scope',
    value: scope,
    choices: rateScopes.map((value) => ({ value, label: value })),
    refused,
  })}`;
  return html`<p class="quiet"><a href="${overridesPath}?kind=${kind}">Overrides</a></p>
    <h1>${known === undefined ? 'New override' : html`<bdi>${target}</bdi>, ${scope}`}</h1>
    <p class="muted">An override narrows a budget. One that is wider than that of the group is refused.</p>
    ${formError(refused, 'rateLimitOverrideForm', 'kind', 'target', 'scope', ...ruleFieldNames, 'reason')}
    <form class="form" method="post" action="${overridesPath}/edit">
      ${
        known === undefined
          ? chosen
          : html`<input type="hidden" name="kind" value="${kind}" /><input
                type="hidden"
                name="target"
                value="${target}"
              /><input type="hidden" name="scope" value="${scope}" />`
      }
      ${ruleFieldset(known ?? { windowSeconds: 60, burst: 0 }, refused)}
      ${field({ label: 'Reason', name: 'reason', value: known?.reason, refused })}
      ${button('Save', { kind: 'primary' })}
    </form>`;
};

export function overridePages({ overrides }: LimitUseCases, access: AccessDecision): readonly WebPage[] {
  const noTarget = (kind: OverrideKind): ValidationFailed =>
    new ValidationFailed('The override is not saved', { detail: `"target" names none of these: ${titles[kind]}` });

  /** The id of a target that is given as a username, as the path of a repository, or as an id. */
  const targetId = async (call: Call<User>, kind: OverrideKind, target: string): Promise<string> => {
    if (uuidPattern.test(target)) return target.toLowerCase();
    try {
      if (kind === 'users') return await overrides.userNamed(call, target);
      const [owner = '', repo = '', ...more] = target.split('/');
      if (kind !== 'repos' || more.length > 0) throw noTarget(kind);
      return (await access.decide(call, reads('repository', 'repo.read'), undefined, { owner, repo })).resource.id;
    } catch (error) {
      throw error instanceof HexforgeError && error.kind === 'not_found' ? noTarget(kind) : error;
    }
  };

  return [
    page({
      ...guarded,
      id: 'rateLimitOverridesPage',
      summary: 'The overrides of one kind',
      path: '/admin/limits/overrides',
      query: shape({ ...pageQuery, kind: kindName() }),
      async run(call, { query, url, refused }) {
        const { kind } = query;
        const found = await overrides.list(call, { kind, ...readPage(pageRules.orDefault(50), query) });
        const ids = found.items.map((one) => one.targetId);
        const names = kind === 'users' ? await overrides.usernames(call, ids) : new Map<string, string>();
        return new HtmlPage({
          title: 'Overrides of rate limits',
          width: 'wide',
          main: overrideList(kind, found, names, { url, now: call.now, refused }),
        });
      },
      forms: [
        form({
          ...guarded,
          id: 'rateLimitOverrideDeleteForm',
          summary: 'Deletes an override',
          path: '/admin/limits/overrides/delete',
          body: shape({ kind: kindName(), target: word().pattern(uuidPattern, 'uuid'), scope: word() }),
          async run(call, { body: { kind, target, scope } }) {
            await overrides.delete(call, { kind, targetId: target, scope });
            return `${overridesPath}?kind=${kind}`;
          },
        }),
      ],
    }),
    page({
      ...guarded,
      id: 'rateLimitOverridePage',
      summary: 'Asks for an override, or for a change of one',
      path: '/admin/limits/overrides/edit',
      query: shape({
        kind: kindName(),
        target: text().max(200).default(''),
        scope: oneOf(...rateScopes)
          .empty('')
          .default('api.read'),
      }),
      async run(call, { query, refused }) {
        const { kind, target, scope } = query;
        const id = uuidPattern.test(target) ? target : undefined;
        const known = id === undefined ? undefined : await overrides.fetch(call, { kind, targetId: id, scope });
        const names = id !== undefined && kind === 'users' ? await overrides.usernames(call, [id]) : undefined;
        const shown = { kind, target: names?.get(target) ?? target, scope };
        return new HtmlPage({ title: 'Override', width: 'wide', main: overrideForm(shown, known, refused) });
      },
      forms: [
        form({
          ...guarded,
          id: 'rateLimitOverrideForm',
          summary: 'Narrows the budget for one target',
          path: '/admin/limits/overrides/edit',
          body: shape({
            kind: kindName(),
            target: word().max(200),
            scope: word(),
            ...ruleFields,
            reason: maybe(text().max(1000)),
          }),
          async run(call, { body: { kind, target, scope, reason = '', ...rule } }) {
            const id = await targetId(call, kind, target);
            await overrides.set(call, { kind, targetId: id, scope, reason, ...camelCased(rule) });
            return `${overridesPath}?kind=${kind}`;
          },
        }),
      ],
    }),
  ];
}
