// The live updates of a merge request, at its path and at the alias with `pulls`.
import { channel, type EventType, type LiveChannel } from 'hexforge/plugin';
import type { MergeUseCases } from '#core/merges/use-cases';
import { mergeParams, reading } from './params.ts';

/** The message of each event, with the changed members if the event does not name them. */
const told = {
  'merge.updated': { type: 'mr.updated' },
  'merge.pushed': { type: 'mr.updated', facts: { changed: ['head'] } },
  'merge.reopened': { type: 'mr.updated', facts: { changed: ['state'] } },
  'merge.closed': { type: 'mr.closed' },
  'merge.merged': { type: 'mr.merged' },
  'merge_review.submitted': { type: 'review.submitted' },
  'merge_comment.created': { type: 'comment.created' },
  'merge_comment.updated': { type: 'comment.updated' },
  'merge_comment.deleted': { type: 'comment.deleted' },
} as const satisfies { readonly [T in EventType]?: { readonly type: string; readonly facts?: object } };

const followed = Object.keys(told) as (keyof typeof told)[];

export const mergeChannels = ({ idOf }: Pick<MergeUseCases, 'idOf'>): readonly LiveChannel[] =>
  (['merges', 'pulls'] as const).map((segment) =>
    channel({
      ...reading,
      id: segment === 'merges' ? 'mergeLive' : 'pullLive',
      summary: 'Changes of a merge request, its comments and its reviews',
      path: `/repos/{owner}/{repo}/${segment}/{number}`,
      params: mergeParams,
      follows: followed,
      follow: (_call, { granted, params }) => idOf(granted, params),
      message({ type, payload, actorId = null }) {
        // The source repository and branch are left out, because followers may not be allowed to read the fork.
        const { repository_id: _target, source_repository_id: _source, merge_request_id: of, ...facts } = payload;
        const { type: name, ...more } = told[type];
        return { of, type: name, data: { ...facts, ...('facts' in more && more.facts), actor_id: actorId } };
      },
    }),
  );
