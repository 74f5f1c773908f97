// Tests of live updates through all servers of one database: two with PostgreSQL, one with the embedded database.
import t, { type Test } from 'tap';
import { startTestForge } from '#test/support/forge';
import { followed, type LiveClient } from '#test/support/clients/live-client';
import { sharedServers } from '#test/support/servers/shared-servers';
import { expect, workshop } from '#test/spec/merges/workshop';

const patient = { timeout: 240_000 };
const readers = 8;
const path = '/ws/repos/alice/code/merges/1';
const request = '/api/v1/repos/alice/code/merges/1';

interface Reader {
  readonly name: string;
  readonly token: string;
}

/** A private repository of alice with a merge request, some readers, and its servers. */
async function shared(t: Test) {
  const seed = await startTestForge(t);
  const { alice, repository, open } = await workshop(t, seed);
  const code = await repository('code', 'private');
  await open(code);
  const people: Reader[] = [];
  for (let index = 0; index < readers; index += 1) {
    const name = `reader-${index}`;
    await seed.createUser(name);
    expect(await alice.client.put(`${code}/collaborators/${name}`, { body: { role: 'read' } }), 204);
    people.push({ name, token: (await seed.signIn(name, `password of ${name}`)).token });
  }
  const { token } = await seed.signIn(alice.username, alice.password);
  await seed.stop();
  const { servers, as } = await sharedServers(t, seed);
  return { servers, people, token, alice: as(token) };
}

void t.test(
  'events reach the followers on every server; a caller who loses access receives none afterwards',
  patient,
  async (t) => {
    const { servers, people, token, alice } = await shared(t);
    const onAll = async (who: string): Promise<readonly LiveClient[]> =>
      Promise.all(servers.map(({ url }) => followed(url, path, { protocols: ['bearer', who] })));
    const owner = await onAll(token);
    const others = await Promise.all(people.map(async (reader) => ({ ...reader, clients: await onAll(reader.token) })));

    let isOver = false;
    let changes = 0;
    const talk = async (): Promise<void> => {
      while (!isOver) {
        changes += 1;
        expect(await alice(changes).patch(request, { body: { title: `Title ${changes}` } }), 200);
      }
    };
    const talking = talk();
    const lost = new Map<string, Date>();
    for (const [turn, { name, clients }] of others.entries()) {
      await Promise.all(clients.map((client) => client.until(1)));
      // Rotates between the servers, so that often another server than this one processes the next change.
      expect(await alice(turn).delete(`/api/v1/repos/alice/code/collaborators/${name}`), 204);
      lost.set(name, new Date());
      for (const client of clients) t.match(await client.closed, { code: 1008, reason: 'Access was lost' }, name);
    }
    isOver = true;
    await talking;
    for (const client of owner)
      t.equal((await client.until(changes)).length, changes, 'a caller with access receives all');
    const secrets = others.flatMap(({ name, clients }) =>
      clients.flatMap(({ told }) => told.filter(({ at }) => new Date(at) > (lost.get(name) ?? new Date(0)))),
    );
    t.strictSame(secrets, [], 'no event after the loss of access is sent to a caller who lost it');

    const [server] = servers;
    server?.signal('SIGTERM');
    t.match(await owner[0]?.closed, { code: 1001 }, 'a stopping server closes with 1001');
    for (const client of owner.slice(1)) t.ok(client.isOpen, 'connections to the other server stay open');
  },
);
