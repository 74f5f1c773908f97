// Grants end by the events of the time in which the plugin was disabled, and only those that existed then.
import t from 'tap';
import { fixedClock, openMemory } from '#adapters/memory/index';
import { systemIds } from '#adapters/system/time';
import type { Client, Grant } from '#core/oauth/index';
import { missedEndings } from '#core/oauth/applications/missed-endings';
import { memoryClientStore } from '#plugins/oauth-server/applications/store';
import { memoryGrantStore } from '#plugins/oauth-server/grants/store';
import { quietLog } from '#test/contracts/storage/storage-engines';

const at = (seconds: number): Date => new Date(seconds * 1000);

async function world() {
  const clock = fixedClock('2030-01-01T00:00:00Z');
  const { database, unitOfWork } = openMemory({ clock, ids: systemIds, log: quietLog });
  const clients = memoryClientStore(database);
  const grants = memoryGrantStore(database);
  await unitOfWork.run(async () => {
    for (const owner of ['ada', 'bob']) {
      await clients.insert({ id: `of-${owner}`, clientId: owner, name: owner, ownerId: owner } as Client);
      for (const user of ['eve', 'joe'])
        for (const created of [10, 30]) {
          const named = { id: `${user}-${owner}-${created}`, userId: user, clientId: `of-${owner}` };
          await grants.insert({ ...named, resource: String(created), createdAt: at(created) } as Grant);
        }
    }
  });
  const left = async () => (await grants.find({ where: {}, orderBy: ['id'] })).map(({ id }) => id);
  return { endings: missedEndings({ clients, grants, unitOfWork }), left };
}
const event = (userId: string) => ({ at: at(20), payload: { userId, username: userId } }) as never;

void t.test('revoked credentials end the grants of the user', async (t) => {
  const { endings, left } = await world();
  await endings.credentialsRevoked(event('eve'));
  t.strictSame(await left(), ['eve-ada-30', 'eve-bob-30', 'joe-ada-10', 'joe-ada-30', 'joe-bob-10', 'joe-bob-30']);
});

void t.test('a suspension ends the grants to the applications of the owner', async (t) => {
  const { endings, left } = await world();
  await endings.ownerSuspended(event('ada'));
  t.strictSame(await left(), ['eve-ada-30', 'eve-bob-10', 'eve-bob-30', 'joe-ada-30', 'joe-bob-10', 'joe-bob-30']);
});
