// Live updates of a merge request (document D, "Merge requests"), at the path of document B and its alias.
import { channel, type EventType, type LiveChannel } from 'hexforge/plugin';
import type { MergeUseCases } from '#core/merges/use-cases';
import { reading } from './requests/routes.ts';
import { mergeParams } from './requests/schemas.ts';

/** What followers are told of an event, and what of the request changed where the event does not say so itself. */
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
        // The fork it comes from may be hidden from who reads the target.
        const { repository_id: _target, source_repository_id: _source, merge_request_id: of, ...facts } = payload;
        const { type: name, ...more } = told[type];
        return { of, type: name, data: { ...facts, ...('facts' in more && more.facts), actor_id: actorId } };
      },
    }),
  );
