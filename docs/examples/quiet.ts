// A plugin that shows how many days ago a repository last changed, to callers who may read it.
import { api, count, definePlugin, reads, shape, text, time, word, type TypeOf } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';

const quietJson = shape({ repository: text(), updated_at: time(), quiet_days: count() }).id('Quiet');
type QuietJson = TypeOf<typeof quietJson>;

const day = 24 * 60 * 60 * 1000;

const presentQuiet = ({ owner, name, updatedAt }: Repository, now: Date): QuietJson => ({
  repository: `${owner}/${name}`,
  updated_at: updatedAt.toISOString(),
  quiet_days: Math.max(0, Math.floor((now.getTime() - updatedAt.getTime()) / day)),
});

export default definePlugin({
  name: 'quiet',
  version: '1.0.0',
  api: '^0.2.0',
  routes: () => [
    api({
      id: 'quietRead',
      summary: 'Says how long a repository has been quiet',
      method: 'GET',
      path: '/{owner}/{repo}',
      // The access decision finds the repository by `owner` and `repo`. If the caller may not read it, the response is
      // 404.
      access: reads('repository', 'repo.read'),
      scope: 'repo.read',
      meter: 'api.read',
      params: shape({ owner: word(), repo: word() }),
      result: quietJson,
      run: ({ now }, { granted }) => presentQuiet(granted.resource, now),
    }),
  ],
});
