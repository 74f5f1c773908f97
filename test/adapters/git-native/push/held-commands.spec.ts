// Memory for the commands of unfinished pushes.
import { Buffer } from 'node:buffer';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { currentCaller } from '#adapters/system/current-caller';
import { gitNative } from '#adapters/git-native/index';
import { pktLine } from '#adapters/git-common/transport/pkt-line';
import { quiet } from '../provider.ts';

const id = '0a000000-0000-4000-8000-000000000000';
/** Slightly below the limit of one push, without the packet that ends the commands. */
const commands = Buffer.concat(
  Array.from({ length: 35_000 }, (_, index) =>
    pktLine(`${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/b${index}${index === 0 ? '\0report-status' : ''}`),
  ),
);

void t.test(
  'commands without an end are charged to the memory budget of their caller and released afterwards',
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'hexforge-commands-'));
    const current = currentCaller();
    const native = gitNative({ root: folder, log: quiet, caller: () => current.key() });
    t.teardown(async () => {
      await native.close();
      await rm(folder, { recursive: true, force: true });
    });
    await native.create(id, { defaultBranch: 'main' });
    /** @returns the outcome of the push, or undefined while it waits for more data. */
    const push = async (caller: string, { signal }: AbortController): Promise<unknown> => {
      const held = Promise.withResolvers<undefined>();
      async function* body(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < commands.length; at += 65_536) yield commands.subarray(at, at + 65_536);
        held.resolve(undefined);
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      }
      const refused = current.run(caller, () =>
        native.receivePack(id, {
          service: 'git-receive-pack',
          body: body(),
          signal,
          protocol: undefined,
          announced: async () => undefined,
          judge: async () => [],
          landed: async () => undefined,
        }),
      );
      return await Promise.race([held.promise, refused.catch((error: unknown) => error)]);
    };
    const [one, other] = [new AbortController(), new AbortController()];
    t.equal(await push('user:a', one), undefined);
    t.equal(await push('user:a', other), undefined);
    t.match(await push('user:a', other), { name: 'RateLimited' });
    t.equal(await push('user:b', other), undefined, 'other callers have their own budget');
    one.abort(new Error('gone'));
    t.equal(await push('user:a', other), undefined, 'an aborted push has released its bytes');
    other.abort(new Error('gone'));
  },
);
