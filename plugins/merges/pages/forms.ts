// The forms of one merge request: they call the use cases of its routes.
import { form, maybe, oneOf, shape, text, uuid, type PageForm } from 'hexforge/plugin';
import { mergeBounds, verdicts } from 'hexforge/merges';
import { mergeStrategies } from 'hexforge/repositories';
import { usernamesIn } from 'hexforge/ui';
import type { MergeUseCases } from '#core/merges/use-cases';
import { changingComment, merging, own, writing } from '../params.ts';
import { commentIn, numberIn, people, spoken, ticked, uuids } from './input.ts';
import { requestPage, talkPage } from './links.ts';

const place = 'repository';
const path = '/merges/{number}';

/** A comment, or a review with an optional text. */
export const talkBody = shape({
  verdict: oneOf('comment', ...verdicts),
  body: spoken(),
  sha: maybe(text().max(64)),
});

/** Submits a comment or review of the whole request. */
export const talkTo =
  ({ comments, submitReview }: Pick<MergeUseCases, 'comments' | 'submitReview'>) =>
  async (
    granted: Parameters<MergeUseCases['submitReview']>[0],
    number: number,
    { verdict, body = '', sha }: { verdict: string; body?: string; sha?: string },
  ): Promise<string> => {
    const state = verdicts.find((one) => one === verdict);
    if (state === undefined) return `#comment-${(await comments.create(granted, { number, body })).id}`;
    return `#review-${(await submitReview(granted, { number, state, body, sha })).id}`;
  };

const changes = {
  draft: { isDraft: true },
  ready: { isDraft: false },
  close: { state: 'closed' },
  reopen: { state: 'open' },
} as const;

/** The members that each part of the side column changes. */
const parts = ['reviewers', 'assignees', 'labels', 'milestone'] as const;

export const requestForms = (merges: MergeUseCases): readonly PageForm[] => [
  form({
    ...writing,
    id: 'mergeTalk',
    summary: 'Comments on or reviews a merge request',
    place,
    path: `${path}/talk`,
    body: talkBody,
    async run(_call, { granted, params, body }) {
      const number = numberIn(params);
      return requestPage(granted.resource, number) + (await talkTo(merges)(granted, number, body));
    },
  }),
  form({
    ...own,
    id: 'mergeStateForm',
    summary: 'Makes a merge request a draft or ready, closes or reopens it',
    place,
    path: `${path}/state`,
    body: shape({ change: oneOf('draft', 'ready', 'close', 'reopen') }),
    async run(_call, { granted, params, body: { change } }) {
      const number = numberIn(params);
      await merges.update(granted, { number, ...changes[change] });
      return requestPage(granted.resource, number);
    },
  }),
  form({
    ...own,
    id: 'mergeMembers',
    summary: 'Changes the reviewers, assignees, labels or milestone of a merge request',
    place,
    path: `${path}/members`,
    body: shape({
      part: oneOf(...parts),
      reviewers: people(),
      assignees: people(),
      labels: uuids(),
      milestone: maybe(uuid()),
    }),
    async run(_call, { granted, params, body: { part, reviewers, assignees, labels = [], milestone = null } }) {
      const number = numberIn(params);
      const idsOf = async (member: string, typed: string | undefined) =>
        (await merges.usersNamed(granted, { member, usernames: usernamesIn(typed) })).map(({ id }) => id);
      const commands = {
        reviewers: async () => ({ reviewerIds: await idsOf('reviewers', reviewers) }),
        assignees: async () => ({ assigneeIds: await idsOf('assignees', assignees) }),
        labels: async () => ({ labelIds: labels }),
        milestone: async () => ({ milestoneId: milestone }),
      };
      await merges.update(granted, { number, ...(await commands[part]()) });
      return requestPage(granted.resource, number);
    },
  }),
  form({
    ...merging,
    id: 'mergeMergeForm',
    summary: 'Merges a merge request',
    place,
    path: `${path}/merge`,
    body: shape({
      strategy: oneOf(...mergeStrategies),
      sha: maybe(text().max(64)),
      commit_message: maybe(text().max(mergeBounds.description)),
      author_name: maybe(text().max(255)),
      author_email: maybe(text().max(255)),
      delete_source_branch: ticked(),
    }),
    async run(_call, { granted, params, body }) {
      const number = numberIn(params);
      await merges.merge(granted, {
        number,
        strategy: body.strategy,
        sha: body.sha,
        message: body.commit_message,
        authorName: body.author_name,
        authorEmail: body.author_email,
        deleteSourceBranch: body.delete_source_branch === 'true',
      });
      return requestPage(granted.resource, number);
    },
  }),
  form({
    ...own,
    id: 'mergeDeleteSource',
    summary: 'Deletes the source branch of a merged or closed merge request',
    place,
    path: `${path}/delete-source`,
    body: shape({}),
    async run(_call, { granted, params }) {
      const number = numberIn(params);
      await merges.deleteSource(granted, { number });
      return requestPage(granted.resource, number);
    },
  }),
  form({
    ...changingComment,
    id: 'mergeCommentResolve',
    summary: 'Resolves or reopens a comment',
    place,
    path: `${path}/comments/{cid}/resolve`,
    body: shape({ resolved: oneOf('true', 'false') }),
    async run(_call, { granted, params, body: { resolved }, url }) {
      const number = numberIn(params);
      await merges.comments.update(granted, { number, id: commentIn(params), resolved: resolved === 'true' });
      return `${talkPage(granted.resource, number, url)}#comment-${params.cid}`;
    },
  }),
];
