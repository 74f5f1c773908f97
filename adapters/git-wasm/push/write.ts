// Commits that the API makes: the objects are written to a quarantine and accepted like a push.
import type { FileWrite, GitBackend, PushHooks } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import { Quarantine } from '../storage/quarantine.ts';
import type { ReceivePack } from './receive-pack.ts';

export const writes = ({ changing, threads }: Foundation, receivePack: ReceivePack) =>
  ({
    write: changing(async (location, { ref, old, ...change }: FileWrite, hooks: PushHooks) => {
      const quarantine = await Quarantine.open(location);
      try {
        const { packPath } = quarantine;
        const made = await threads.run(
          'makeWrite',
          location,
          { change, packPath },
          { kind: 'transfer', signal: hooks.signal },
        );
        const update = { ref, old: old ?? change.parent, new: made.commit.oid };
        return { ...made, refusal: await receivePack.own(location, update, quarantine, hooks) };
      } finally {
        await quarantine.close();
      }
    }),
  }) satisfies Partial<GitBackend>;
