// The routes of overrides.
import { api, camelCased, pageRules, presentPage, readPage, type Route } from 'hexforge/plugin';
import type { LimitUseCases } from '#core/limits/use-cases';
import { guarded } from '../guard.ts';
import {
  kindParams,
  overrideBody,
  overrideJson,
  overridePageJson,
  overrideParams,
  overrideQuery,
  presentOverride,
} from './schemas.ts';

const path = '/admin/rate-limits/overrides/{kind}';
const one = `${path}/{id}/{scope}`;
const defaults = { window_seconds: 60, burst: 0, action: 'throttle', enabled: true, reason: '' } as const;

export const overrideRoutes = ({ overrides }: LimitUseCases): readonly Route[] => [
  api({
    ...guarded,
    id: 'rateLimitOverrideList',
    summary: 'The overrides for repositories, applications, tokens or users, the last changed first',
    method: 'GET',
    path,
    params: kindParams,
    query: overrideQuery,
    result: overridePageJson,
    statuses: [404],
    run: async (call, { params, query }) =>
      presentPage(
        await overrides.list(call, { ...params, ...readPage(pageRules.orDefault(), query) }),
        presentOverride,
      ),
  }),
  api({
    ...guarded,
    id: 'rateLimitOverrideSet',
    summary: 'Narrow the budget for one target, in the place of what was set for it before',
    method: 'PUT',
    path: one,
    params: overrideParams,
    body: overrideBody,
    result: overrideJson,
    statuses: [404, 422],
    run: async (call, { params: { kind, id, scope }, body }) =>
      presentOverride(
        await overrides.set(call, { kind, targetId: id, scope, ...camelCased({ ...defaults, ...body }) }),
      ),
  }),
  api({
    ...guarded,
    id: 'rateLimitOverrideDelete',
    summary: 'Delete an override',
    method: 'DELETE',
    path: one,
    params: overrideParams,
    result: 'empty',
    statuses: [404],
    run: (call, { params: { kind, id, scope } }) => overrides.delete(call, { kind, targetId: id, scope }),
  }),
];
