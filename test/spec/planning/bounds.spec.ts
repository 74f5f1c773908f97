// Tests of how many labels and milestones a repository may have.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge } from '#test/support/forge';
import { nearlyFull } from '#test/support/wrapped-store';

const repos = '/api/v1/repos';
const bug = { name: 'Bug', color: 'd73a4a' } as const;

void t.test('a repository has at most 1,000 labels, also with concurrent creations: 422', async (t) => {
  const forge = await startTestForge(t, { definitions: [await nearlyFull('planning', 'labels', 990)] });
  const alice = (await forge.createUser('alice')).client;
  t.equal((await alice.post(repos, { body: { name: 'full' } })).status, 201);
  const full = `${repos}/alice/full/labels`;
  const last = await Promise.all(
    Array.from({ length: 20 }, (_, index) => alice.post(full, { body: { ...bug, name: `last ${index}` } })),
  );
  t.strictSame(
    last.map(({ status }) => status).sort((a, b) => a - b),
    [...Array.from({ length: 10 }, () => 201), ...Array.from({ length: 10 }, () => 422)],
  );
  const all = (await alice.get(full)).body as readonly { readonly id: string }[];
  t.equal(all.length, 10);
  isError(t, await alice.post(full, { body: bug }), 422, 'unprocessable', 'one more');
  t.equal((await alice.patch(`${full}/${all[0]?.id}`, { body: { name: 'renamed' } })).status, 200);
  t.equal((await alice.delete(`${full}/${all[1]?.id}`)).status, 204);
  t.equal((await alice.post(full, { body: bug })).status, 201, 'there is room again');
});

void t.test('a repository has at most 1,000 milestones, also with concurrent creations: 422', async (t) => {
  const forge = await startTestForge(t, { definitions: [await nearlyFull('planning', 'milestones', 990)] });
  const alice = (await forge.createUser('alice')).client;
  t.equal((await alice.post(repos, { body: { name: 'full' } })).status, 201);
  const full = `${repos}/alice/full/milestones`;
  const last = await Promise.all(Array.from({ length: 20 }, () => alice.post(full, { body: { title: 'last' } })));
  t.strictSame(
    last.map(({ status }) => status).sort((a, b) => a - b),
    [...Array.from({ length: 10 }, () => 201), ...Array.from({ length: 10 }, () => 422)],
  );
  const all = (await alice.get(full)).body as readonly { readonly id: string }[];
  t.equal(all.length, 10);
  isError(t, await alice.post(full, { body: { title: 'x' } }), 422, 'unprocessable', 'one more');
  t.equal((await alice.delete(`${full}/${all[0]?.id}`)).status, 204);
  t.equal((await alice.post(full, { body: { title: 'x' } })).status, 201, 'there is room again');
});
