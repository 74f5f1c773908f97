// The routes of the settings of repositories.
import { api, changes, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { settingBatchBody, settingBatchJson, settingListJson } from './schemas.ts';

const administered = {
  access: changes('repository', 'repo.admin'),
  scope: 'repo.admin',
  path: '/repos/{owner}/{repo}/settings',
} as const;

export const repositorySettingRoutes = ({ settings }: RepositoryUseCases): readonly Route[] => [
  api({
    ...administered,
    id: 'repositorySettingList',
    summary: 'The settings of a repository that the enabled plugins declare, by key',
    method: 'GET',
    result: settingListJson,
    run: (_call, { granted }) => settings.list(granted),
  }),
  api({
    ...administered,
    id: 'repositorySettingBatch',
    summary: 'Change settings of a repository, all or none',
    method: 'POST',
    body: settingBatchBody,
    result: settingBatchJson,
    statuses: [422],
    run: (_call, { granted, body }) => settings.write(granted, body.settings),
  }),
];
