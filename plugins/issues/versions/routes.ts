// The routes of versions.
import { camelCased, operations, type Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import { managing, reading } from '../params.ts';
import { presentVersion, versionBody, versionChangeBody, versionJson } from './schemas.ts';

const version = operations({
  noun: 'version',
  path: '/repos/{owner}/{repo}/versions',
  reading,
  writing: managing,
  json: versionJson,
  present: presentVersion,
});

export const versionRoutes = ({ versions }: IssueUseCases): readonly Route[] => [
  version.page({ run: versions.list }),
  version.create({
    body: versionBody,
    statuses: [409],
    run: (granted, body) => versions.create(granted, camelCased(body)),
  }),
  version.update({
    body: versionChangeBody,
    statuses: [409],
    run: (granted, { id, ...change }) => versions.update(granted, { id, patch: camelCased(change) }),
  }),
  version.delete({ run: versions.delete }),
];
