// The routes of /admin/settings.
import { admin, api, found, type Route } from 'hexforge/plugin';
import type { SettingsUseCases } from '#core/settings/use-cases';
import {
  settingBatchBody,
  settingBatchJson,
  settingJson,
  settingListJson,
  settingValueBody,
  settingValueJson,
} from './schemas.ts';

const guarded = { access: admin('admin:settings'), scope: 'admin.settings' } as const;

export const settingRoutes = ({ administration }: SettingsUseCases): readonly Route[] => [
  api({
    ...guarded,
    id: 'settingList',
    summary: 'Every setting of the enabled plugins, by key',
    method: 'GET',
    path: '/admin/settings',
    result: settingListJson,
    run: (call) => administration.list(call),
  }),
  api({
    ...guarded,
    id: 'settingFetch',
    summary: 'One setting',
    method: 'GET',
    path: '/admin/settings/{key}',
    result: settingJson,
    statuses: [404],
    run: (call, { params }) => administration.fetch(call, params),
  }),
  api({
    ...guarded,
    id: 'settingUpdate',
    summary: 'Change a setting, at once',
    method: 'PUT',
    path: '/admin/settings/{key}',
    body: settingValueBody,
    result: settingValueJson,
    statuses: [404, 422],
    run: async (call, { params: { key }, body: { value } }) =>
      found((await administration.write(call, [{ key, value }]))[0]),
  }),
  api({
    ...guarded,
    id: 'settingReset',
    summary: 'Delete the stored value of a setting: the configured one applies, or else the default',
    method: 'DELETE',
    path: '/admin/settings/{key}',
    result: 'empty',
    statuses: [404],
    async run(call, { params }) {
      await administration.reset(call, params);
    },
  }),
  api({
    ...guarded,
    id: 'settingBatch',
    summary: 'Change several settings, all or none',
    method: 'POST',
    path: '/admin/settings',
    body: settingBatchBody,
    result: settingBatchJson,
    statuses: [404, 422],
    run: (call, { body: { settings } }) => administration.write(call, settings),
  }),
];
