// Document B, "Issues": what a repository's record says of them.
import t from 'tap';
import { sharedForge } from '#test/support/shared-forge';

const repos = '/api/v1/repos';

void t.test('the record of a repository counts its open issues', async (t) => {
  const forge = await sharedForge(t);
  const alice = await forge.createUser('alice');
  t.equal((await alice.client.post(repos, { body: { name: 'code' } })).status, 201);
  t.match((await alice.client.get(`${repos}/alice/code`)).body, { open_issues_count: 0 });
});
