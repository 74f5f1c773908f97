// A plugin whose setting each repository has for itself: its motto, which everybody who reads it may read.
import { api, definePlugin, reads, shape, text, word } from 'hexforge/plugin';

declare module 'hexforge/plugin' {
  interface RepositorySettingValues {
    'motto.text': string;
  }
}

export default definePlugin({
  name: 'motto',
  version: '1.0.0',
  api: '^0.2.0',
  needs: ['RepositorySettings'],
  repositorySettings: [
    { key: 'motto.text', type: 'string', default: 'No motto', maxLength: 200, description: 'The motto' },
  ],
  routes: (_parts, { RepositorySettings }) => [
    api({
      id: 'mottoRead',
      summary: 'The motto of a repository',
      method: 'GET',
      path: '/{owner}/{repo}',
      access: reads('repository', 'repo.read'),
      scope: 'repo.read',
      meter: 'api.read',
      params: shape({ owner: word(), repo: word() }),
      result: shape({ motto: text() }).id('Motto'),
      run: async (_call, { granted }) => ({ motto: await RepositorySettings.get(granted.resource.id, 'motto.text') }),
    }),
  ],
});
