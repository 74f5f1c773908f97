// Transfers to clients and between repositories: clones, fetches, ref advertisements and forks.
import type { GitBackend } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import { fetchFork } from './fork.ts';
import { largeTransfers } from './large-transfers.ts';
import { SmartHttp } from './smart-http.ts';

export function transfers(foundation: Foundation) {
  const { inside, liveProcesses, repositories, changes } = foundation;
  const parts = { ...foundation, largeTransfer: largeTransfers(foundation) };
  const smartHttp = new SmartHttp(parts);
  return {
    advertise: inside((...asked) => smartHttp.advertise(...asked)),
    uploadPack: inside((...asked) => smartHttp.uploadPack(...asked)),
    fork: inside(async (from, target, { defaultBranch, signal }) => {
      await liveProcesses.register();
      await repositories.create(target, defaultBranch);
      const to = repositories.location(target);
      await changes.during(to, ['refs', 'objects'], () => fetchFork(parts, from, to, signal));
    }),
  } satisfies Partial<GitBackend>;
}
