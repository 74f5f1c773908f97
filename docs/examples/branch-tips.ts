// A plugin that reads git: the branches of a repository, each with its commit, the default branch marked.
import { api, definePlugin, flag, list, reads, shape, text, word, type Granted } from 'hexforge/plugin';
import type { Oid, Repository } from 'hexforge/repositories';

interface BranchTip {
  readonly name: string;
  readonly commit: Oid;
  readonly isDefault: boolean;
}

const branchTipJson = shape({ name: text(), commit_sha: text(), is_default: flag() }).id('BranchTip');
const branchTipsJson = shape({ branches: list(branchTipJson) }).id('BranchTips');

const prefix = 'refs/heads/';

export default definePlugin({
  name: 'branch-tips',
  version: '1.0.0',
  api: '^0.2.0',
  needs: ['GitBackend'],
  build: ({ GitBackend: git }) => ({
    /**
     * Requires the proof that the caller may read the repository, so that no route can call it without an access
     * decision.
     */
    async branchTips({ resource }: Granted<Repository, 'repo.read'>): Promise<readonly BranchTip[]> {
      const refs = await git.refs(resource.id, 'branches');
      return refs.map(({ name, oid }) => ({
        name: name.slice(prefix.length),
        commit: oid,
        isDefault: name === prefix + resource.defaultBranch,
      }));
    },
  }),
  routes: ({ branchTips }) => [
    api({
      id: 'branchTipList',
      summary: 'Lists branches with their commits',
      method: 'GET',
      path: '/{owner}/{repo}',
      access: reads('repository', 'repo.read'),
      scope: 'repo.read',
      meter: 'api.read',
      params: shape({ owner: word(), repo: word() }),
      result: branchTipsJson,
      async run(_call, { granted }) {
        const found = await branchTips(granted);
        return {
          branches: found.map(({ name, commit, isDefault }) => ({ name, commit_sha: commit, is_default: isDefault })),
        };
      },
    }),
  ],
});
