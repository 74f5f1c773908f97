// The pages of branch protection: the rules of each protected branch.
import {
  changes,
  Conflict,
  count,
  flag,
  form,
  found,
  html,
  HtmlPage,
  maybe,
  page,
  shape,
  text,
  ValidationFailed,
  word,
} from 'hexforge/plugin';
import type { Granted, Html, RefusedForm, TypeOf, User, WebPage } from 'hexforge/plugin';
import { defaultProtection, type Protection, type Repository } from 'hexforge/repositories';
import { button, checkBox, empty, field, formError, linkButton, list, onlyChanged, shownValues } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { branchNames } from '../branches/branch-names.ts';
import { confirmation } from '../pages/confirm.ts';
import { asContent, shownMember } from '../pages/forms.ts';
import { encoded, treePath, within } from '../pages/links.ts';
import { pushRoles } from './schemas.ts';

const protecting = {
  place: 'repository',
  access: changes('repository', 'branch.protect'),
  scope: 'repo.admin',
} as const;

/** The built-in roles that can push. */
const pushing = ['write', 'maintain', 'admin'] as const;

const ruleMembers = {
  push_roles: pushRoles().single().default([]),
  other_roles: maybe(text().max(5200)),
  required_approvals: count().max(100).default(0),
  dismiss_stale_approvals: flag().default(false),
  on_open: flag().default(false),
  on_merge: flag().default(false),
  allow_force_push: flag().default(false),
  allow_deletion: flag().default(false),
} as const;
const rules = shape({ ...ruleMembers, shown: shownMember() });
const newRule = shape({ ...ruleMembers, branch: word().max(255) });
/** The fields that show their own errors. */
const ruleNames = ['other_roles', 'required_approvals'] as const;

/** The names between commas. */
const namesIn = (list: string): readonly string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** The ticked roles and those in the field. @throws {ValidationFailed} */
function sentRoles(ticked: readonly string[], others: string): readonly string[] {
  const all = [...ticked, ...namesIn(others)];
  const { error } = pushRoles().validate(all);
  if (error === undefined) return all;
  throw new ValidationFailed('The roles are not allowed', {
    detail: '"other_roles" must be at most 50 names of up to 100 characters, separated by commas',
  });
}

const wishedBy = (body: TypeOf<typeof rules>): Protection => ({
  allowForcePush: body.allow_force_push,
  allowDeletion: body.allow_deletion,
  pushRoles: sentRoles(body.push_roles, body.other_roles ?? ''),
  requiredApprovals: body.required_approvals,
  dismissStaleApprovals: body.dismiss_stale_approvals,
  requiredPipeline: { onOpen: body.on_open, onMerge: body.on_merge },
});

/** The members of a rule as texts, by which those that a form has changed are found. */
const textsOf = (rule: Protection) =>
  Object.fromEntries(
    Object.entries(rule).map(([name, value]) => [name, Array.isArray(value) ? value : JSON.stringify(value)]),
  );

/** The rule with the members that the form has changed. */
const changedBy = (rule: Protection, wished: Protection, shown: string | undefined): Protection => {
  const changed = onlyChanged(textsOf(wished), shown);
  return { ...rule, ...Object.fromEntries(Object.entries(wished).filter(([name]) => name in changed)) };
};

const rulesOf = (rule: Protection): readonly string[] =>
  [
    rule.pushRoles.length === 0 ? 'nobody pushes directly' : `${rule.pushRoles.join(', ')} may push directly`,
    rule.requiredApprovals > 0 && `${rule.requiredApprovals} approval${rule.requiredApprovals === 1 ? '' : 's'}`,
    rule.dismissStaleApprovals && 'approvals end with a new push',
    rule.requiredPipeline.onOpen && 'a pipeline passes before review',
    rule.requiredPipeline.onMerge && 'a pipeline passes before merging',
    rule.allowForcePush && 'force pushes allowed',
    rule.allowDeletion && 'deletion allowed',
  ].filter((text) => text !== false);

/** The fields of the rules. */
function ruleFields(rule: Protection, refused: RefusedForm | undefined): Html {
  const sent = refused?.values['push_roles'];
  const ticked = refused === undefined ? rule.pushRoles : [sent ?? []].flat();
  const others = rule.pushRoles.filter((role) => !(pushing as readonly string[]).includes(role));
  return html`<fieldset class="field">
      <legend>May push directly</legend>
      ${pushing.map(
        (role) =>
          html`<label class="choice"
            ><input
              type="checkbox"
              name="push_roles"
              value="${role}"
              ${ticked.includes(role) && html`checked`}
            />${role}</label
          >`,
      )}
      <p class="hint">Others open a merge request. The owner counts as admin.</p>
    </fieldset>
    ${field({
      label: 'Other roles that may push',
      name: 'other_roles',
      value: others.join(', '),
      hint: 'Optional: names of roles of this repository, separated by commas',
      autocomplete: 'off',
      refused,
    })}
    ${field({
      label: 'Approvals before merging',
      name: 'required_approvals',
      type: 'number',
      value: String(rule.requiredApprovals),
      hint: '0 to 100',
      refused,
    })}
    ${checkBox({
      label: 'A push that changes the diff makes approvals pending',
      name: 'dismiss_stale_approvals',
      value: rule.dismissStaleApprovals,
      refused,
    })}
    ${checkBox({
      label: 'A pipeline must pass when a merge request is opened',
      name: 'on_open',
      value: rule.requiredPipeline.onOpen,
      refused,
    })}
    ${checkBox({
      label: 'A pipeline must pass before merging',
      name: 'on_merge',
      value: rule.requiredPipeline.onMerge,
      refused,
    })}
    ${checkBox({
      label: 'Allow force pushes',
      name: 'allow_force_push',
      value: rule.allowForcePush,
      hint: 'History can be rewritten',
      refused,
    })}
    ${checkBox({
      label: 'Allow deletion by a push',
      name: 'allow_deletion',
      value: rule.allowDeletion,
      refused,
    })}`;
}

export function protectionPages(useCases: RepositoryUseCases): readonly WebPage[] {
  const { protections } = useCases;
  const path = (repository: Repository, action = '', branch?: string): string =>
    within(repository, `settings/protection${action}${branch === undefined ? '' : `/${encoded(branch)}`}`);
  const ruleOf = async (granted: Granted<Repository, 'branch.protect'>, branch: string) =>
    (await protections.list(granted)).find(([name]) => name === branch)?.[1];
  const set = async (granted: Granted<Repository, 'branch.protect', User>, branch: string, wished: Protection) => {
    await asContent(() => protections.set(granted, { branch, wished }));
    return path(granted.resource);
  };

  return [
    page({
      ...protecting,
      id: 'repositoryProtection',
      summary: 'The protected branches and their rules',
      path: '/settings/protection',
      async run(_call, { granted }) {
        const repository = granted.resource;
        const all = await protections.list(granted);
        return new HtmlPage({
          title: 'Protection',
          width: 'wide',
          main: html`<div class="bar">
              <h1 class="grow">Protected branches</h1>
              ${linkButton('Protect a branch', path(repository, '/new'), { kind: 'primary' })}
            </div>
            ${
              all.length > 0
                ? list(
                    all.map(([branch, rule]) => ({
                      title: html`<a href="${path(repository, '/edit', branch)}"><bdi>${branch}</bdi></a>`,
                      about: rulesOf(rule).join(' · '),
                      end: html`<a href="${treePath(repository, branch)}">Files</a>`,
                    })),
                  )
                : empty('No branch is protected', 'Protected branches cannot be rewritten or deleted.')
            }`,
        });
      },
    }),
    page({
      ...protecting,
      id: 'repositoryProtectionNew',
      summary: 'The form that protects a branch',
      path: '/settings/protection/new',
      async run(_call, { granted, refused }) {
        const repository = granted.resource;
        return new HtmlPage({
          title: 'Protect a branch',
          width: 'wide',
          main: html`<h1>Protect a branch</h1>
            <form class="form" method="post" action="${path(repository, '/new')}">
              ${formError(refused, 'repositoryProtectionCreate', 'branch', ...ruleNames)}
              ${field({
                label: 'Branch',
                name: 'branch',
                value: repository.defaultBranch,
                suggestions: await branchNames(useCases, granted),
                hint: 'Its whole name. It need not exist yet.',
                required: true,
                refused,
              })}
              ${ruleFields(defaultProtection, refused)}
              <div class="actions">
                ${button('Protect', { kind: 'primary' })} ${linkButton('Cancel', path(repository))}
              </div>
            </form>`,
        });
      },
      forms: [
        form({
          ...protecting,
          id: 'repositoryProtectionCreate',
          summary: 'Protects a branch',
          path: '/settings/protection/new',
          body: newRule,
          async run(_call, { granted, body }) {
            // The form starts with the usual rules, which may be weaker than those that the branch has.
            if ((await protections.list(granted)).some(([branch]) => branch === body.branch))
              throw new Conflict('The branch is protected already', {
                detail: '"branch" is protected already; edit its rules',
              });
            return set(granted, body.branch, wishedBy(body));
          },
        }),
      ],
    }),
    page({
      ...protecting,
      id: 'repositoryProtectionEdit',
      summary: 'The rules of one branch',
      path: '/settings/protection/edit/{branch*}',
      async run(_call, { granted, params: { branch }, refused }) {
        const repository = granted.resource;
        const rule = found(await ruleOf(granted, branch), 'The branch is not protected');
        return new HtmlPage({
          title: `Protection of ${branch}`,
          width: 'wide',
          main: html`<h1>Protection of <bdi>${branch}</bdi></h1>
            <form class="form" method="post" action="${path(repository, '/edit', branch)}">
              ${formError(refused, 'repositoryProtectionSet', ...ruleNames)} ${shownValues(textsOf(rule), refused)}
              ${ruleFields(rule, refused)}
              <div class="actions">
                ${button('Save', { kind: 'primary' })} ${linkButton('Cancel', path(repository))}
                ${linkButton('Remove protection…', path(repository, '/remove', branch), { kind: 'danger' })}
              </div>
            </form>`,
        });
      },
      forms: [
        form({
          ...protecting,
          id: 'repositoryProtectionSet',
          summary: 'Changes the rules of a branch',
          path: '/settings/protection/edit/{branch*}',
          body: rules,
          async run(_call, { granted, params: { branch }, body }) {
            const rule = found(await ruleOf(granted, branch), 'The branch is not protected');
            return set(granted, branch, changedBy(rule, wishedBy(body), body.shown));
          },
        }),
      ],
    }),
    page({
      ...protecting,
      id: 'repositoryProtectionRemove',
      summary: 'Asks whether to remove the protection of a branch',
      path: '/settings/protection/remove/{branch*}',
      async run(_call, { granted, params: { branch }, refused }) {
        await protections.fetch(granted, { branch });
        return confirmation({
          title: html`Remove the protection of <bdi>${branch}</bdi>?`,
          pageTitle: `Remove the protection of ${branch}`,
          about: 'Everybody who may push can then rewrite and delete the branch.',
          action: path(granted.resource, '/remove', branch),
          label: 'Remove protection',
          cancel: path(granted.resource, '/edit', branch),
          refused,
        });
      },
      forms: [
        form({
          ...protecting,
          id: 'repositoryProtectionDelete',
          summary: 'Removes the protection of a branch',
          path: '/settings/protection/remove/{branch*}',
          body: shape({}),
          async run(_call, { granted, params: { branch } }) {
            await protections.delete(granted, { branch });
            return path(granted.resource);
          },
        }),
      ],
    }),
  ];
}
