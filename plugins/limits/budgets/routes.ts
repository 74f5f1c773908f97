// The routes of the budgets of groups.
import { api, camelCased, type Route } from 'hexforge/plugin';
import type { LimitUseCases } from '#core/limits/use-cases';
import { guarded } from '../guard.ts';
import {
  budgetBody,
  budgetJson,
  budgetParams,
  groupBudgetsJson,
  groupParams,
  matrixJson,
  presentBudget,
  presentGroup,
} from './schemas.ts';

const path = '/admin/rate-limits';

export const budgetRoutes = ({ budgets }: LimitUseCases): readonly Route[] => [
  api({
    ...guarded,
    id: 'rateLimitMatrix',
    summary: 'The budget of every group for every scope',
    method: 'GET',
    path,
    result: matrixJson,
    async run(call) {
      const groups = await budgets.matrix(call);
      return { groups: groups.map(presentGroup), total: groups.length };
    },
  }),
  api({
    ...guarded,
    id: 'rateLimitGroup',
    summary: 'The budgets of one group',
    method: 'GET',
    path: `${path}/groups/{group_id}`,
    params: groupParams,
    result: groupBudgetsJson,
    statuses: [404],
    run: async (call, { params }) => presentGroup(await budgets.ofGroup(call, camelCased(params))),
  }),
  api({
    ...guarded,
    id: 'rateLimitUpdate',
    summary: 'Change a budget, in effect in every process within two seconds',
    method: 'PATCH',
    path: `${path}/groups/{group_id}/{scope}`,
    params: budgetParams,
    body: budgetBody,
    result: budgetJson,
    statuses: [404],
    run: async (call, { params, body }) =>
      presentBudget(
        await budgets.update(call, {
          ...camelCased(body, { notes: 'note' }),
          ...camelCased(params),
        }),
      ),
  }),
  api({
    ...guarded,
    id: 'rateLimitReset',
    summary: 'Put a budget back to its default',
    method: 'POST',
    path: `${path}/groups/{group_id}/{scope}/reset`,
    params: budgetParams,
    result: budgetJson,
    success: 200,
    statuses: [404],
    run: async (call, { params }) => presentBudget(await budgets.reset(call, camelCased(params))),
  }),
];
