// The routes of violations, as JSON and as CSV.
import {
  api,
  ByteStream,
  pageRules,
  presentPage,
  readPage,
  reply,
  type Call,
  type Route,
  type User,
} from 'hexforge/plugin';
import type { Violation } from 'hexforge/limits';
import type { LimitUseCases } from '#core/limits/use-cases';
import { guarded } from '../guard.ts';
import { csv } from './csv.ts';
import { presentViolation, violationPageJson, violationQuery } from './schemas.ts';

const path = '/admin/rate-limits/violations';
const columns = ['id', 'at', 'subject', 'scope', 'limit', 'path', 'method', 'ip'] as const;

async function* presented(violations: AsyncIterable<Violation>) {
  for await (const violation of violations) yield presentViolation(violation);
}

/** All violations as a file. */
export const csvOf = ({ violations }: LimitUseCases, call: Call<User>) =>
  reply(new ByteStream(csv(columns, presented(violations.all(call))), { type: 'text/csv; charset=utf-8' }), {
    headers: {
      'x-content-type-options': 'nosniff',
      'content-disposition': 'attachment; filename="violations.csv"',
    },
  });

export const violationRoutes = (useCases: LimitUseCases): readonly Route[] => [
  api({
    ...guarded,
    id: 'rateLimitViolationList',
    summary: 'Who was refused for a spent budget: the first request of each window, the newest first',
    method: 'GET',
    path,
    query: violationQuery,
    result: violationPageJson,
    run: async (call, { query }) =>
      presentPage(await useCases.violations.list(call, readPage(pageRules.orDefault(), query)), presentViolation),
  }),
  api({
    ...guarded,
    id: 'rateLimitViolationCsv',
    summary: 'All violations that are kept, as CSV',
    method: 'GET',
    path: `${path}.csv`,
    result: 'bytes',
    run: async (call) => csvOf(useCases, call),
  }),
];
