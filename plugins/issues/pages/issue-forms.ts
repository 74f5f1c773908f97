// The forms of the page of an issue.
import {
  changes,
  flag,
  form,
  maybe,
  oneOf,
  shape,
  uuid,
  ValidationFailed,
  type PageForm,
  type TypeOf,
} from 'hexforge/plugin';
import { issueStates, linkTypes } from 'hexforge/issues';
import { onlyChanged, usernamesIn } from 'hexforge/ui';
import type { IssueUseCases } from '#core/issues/use-cases';
import { managing, writing } from '../params.ts';
import { markdown, memberBody, numberIn, numberText, shownMember } from './fields.ts';
import { issuePath, withQuery, type PageParts } from './links.ts';
import { commentsPerPage } from './timeline.ts';

type Update = Parameters<IssueUseCases['update']>;
const memberShape = shape({ locked: maybe(flag()), shown: shownMember(), ...memberBody });
type Body = TypeOf<typeof memberShape>;

/** The parts of the side column, each with the members that its form replaces. Absent values clear them. */
const parts = {
  type: ({ issue_type_id: typeId }: Body) => given({ typeId }),
  status: ({ issue_status: status, priority, shown }: Body) => given(onlyChanged({ status, priority }, shown)),
  labels: ({ label_ids: labelIds = [] }: Body) => ({ labelIds }),
  milestone: ({ milestone_id }: Body) => ({ milestoneId: milestone_id ?? null }),
  components: ({ component_ids: componentIds = [] }: Body) => ({ componentIds }),
  versions: ({ fix_version_ids: fixVersionIds = [], affects_version_ids: affectsVersionIds = [], shown }: Body) =>
    onlyChanged({ fixVersionIds, affectsVersionIds }, shown),
  due: ({ due_date }: Body) => ({ dueDate: due_date ?? null }),
  estimate: ({ story_points, input_tokens, output_tokens, shown }: Body) =>
    onlyChanged(
      {
        storyPoints: story_points ?? null,
        inputTokens: input_tokens ?? null,
        outputTokens: output_tokens ?? null,
      },
      shown,
    ),
  lock: ({ locked }: Body) => given({ locked }),
  async assignees({ assignees }: Body, granted: Update[0], useCases: IssueUseCases) {
    return { assigneeIds: (await useCases.usersNamed(granted, usernamesIn(assignees))).map(({ id }) => id) };
  },
};

type Given<T> = { readonly [M in keyof T]?: Exclude<T[M], undefined> };

/** The members that are present. */
const given = <T extends object>(members: T): Given<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T>;

const partNames = [
  'type',
  'status',
  'labels',
  'milestone',
  'components',
  'versions',
  'due',
  'estimate',
  'lock',
  'assignees',
] as const satisfies readonly (keyof typeof parts)[];

const fieldsBody = shape({ part: oneOf(...partNames), locked: maybe(flag()), shown: shownMember(), ...memberBody });

const inIssue = { place: 'repository' } as const;

export const issueForms = ({ useCases }: PageParts): readonly PageForm[] => [
  form({
    ...inIssue,
    id: 'issueFields',
    summary: 'Changes one part of the side column of an issue',
    path: '/issues/{number}/fields',
    ...writing,
    body: fieldsBody,
    async run(_call, { granted, params: { number }, body }) {
      const change: Omit<Update[1], 'number'> = await parts[body.part](body, granted, useCases);
      await useCases.update(granted, { ...change, number });
      return issuePath(granted.resource, number);
    },
  }),
  form({
    ...inIssue,
    id: 'issueComment',
    summary: 'Comments on an issue, closes or reopens it, or both',
    path: '/issues/{number}/comments',
    ...writing,
    body: shape({ body: maybe(markdown()), state: maybe(oneOf(...issueStates)) }),
    async run(_call, { granted, params: { number }, body: { body, state } }) {
      if (body === undefined && state === undefined)
        throw new ValidationFailed('A comment needs a text', { detail: '"body" must not be empty' });
      const made = body === undefined ? undefined : await useCases.comments.create(granted, { number, body });
      if (state !== undefined) await useCases[state === 'open' ? 'reopen' : 'close'](granted, { number });
      const path = issuePath(granted.resource, number);
      if (made === undefined) return path;
      const { commentsCount } = await useCases.fetch(granted, { number });
      const page = Math.ceil(commentsCount / commentsPerPage);
      return `${withQuery(path, { page: page > 1 ? String(page) : undefined })}#comment-${made.id}`;
    },
  }),
  form({
    ...inIssue,
    id: 'issueWatch',
    summary: 'Watches an issue, or stops watching it',
    path: '/issues/{number}/watching',
    access: changes('repository', 'issue.read'),
    scope: 'issue.read',
    body: shape({ watch: flag() }),
    async run(_call, { granted, params: { number }, body: { watch } }) {
      await useCases[watch ? 'watch' : 'unwatch'](granted, { number });
      return issuePath(granted.resource, number);
    },
  }),
  form({
    ...inIssue,
    id: 'issueParent',
    summary: 'Puts an issue under another one, or takes it out',
    path: '/issues/{number}/parent',
    ...writing,
    body: shape({ parent_number: maybe(numberText()) }),
    async run(_call, { granted, params: { number }, body: { parent_number: parent } }) {
      await (parent === undefined
        ? useCases.clearParent(granted, { number })
        : useCases.setParent(granted, { number, parentNumber: numberIn(parent) }));
      return issuePath(granted.resource, number);
    },
  }),
  form({
    ...inIssue,
    id: 'issueLinkAdd',
    summary: 'Links an issue to another one',
    path: '/issues/{number}/links',
    ...managing,
    body: shape({ type: oneOf(...linkTypes), target_number: numberText() }),
    async run(_call, { granted, params: { number }, body: { type, target_number: target } }) {
      await useCases.links.create(granted, { number, type, targetNumber: numberIn(target) });
      return issuePath(granted.resource, number);
    },
  }),
  form({
    ...inIssue,
    id: 'issueLinkDelete',
    summary: 'Removes a link',
    path: '/issues/{number}/links/delete',
    ...managing,
    body: shape({ id: uuid() }),
    async run(_call, { granted, params: { number }, body: { id } }) {
      await useCases.links.delete(granted, { number, id });
      return issuePath(granted.resource, number);
    },
  }),
];
