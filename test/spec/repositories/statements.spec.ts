// Tests that fetching a repository takes one SQL statement, which also decides access and counts issues.
import t from 'tap';
import { startTestForge } from '#test/support/forge';
import { onDatabase } from '#test/support/marks';
import { statementRecorder } from '#test/support/statements';
import { types } from '../issues/tracker.ts';

void onDatabase(t).test('a repository is found and counted in one statement', async (t) => {
  const recorded = statementRecorder();
  const forge = await startTestForge(t);
  const { client: alice } = await forge.createUser('alice');
  const path = '/api/v1/repos/alice/counted';
  t.equal((await alice.post('/api/v1/repos', { body: { name: 'counted', visibility: 'public' } })).status, 201);
  const counts = async () => {
    let body: unknown;
    // The handlers of earlier events send statements, too.
    await forge.forge.drained();
    const sent = await recorded(async () => ({ body } = await forge.anonymous.get(path)));
    t.strictSame(
      sent.filter(({ sql }) => !sql.includes('settings_setting')).map(({ sql }) => /\w+_open\b/g.exec(sql)?.[0] ?? sql),
      ['issues_open'],
    );
    return body;
  };
  t.match(await counts(), { open_issues_count: 0, open_prs_count: 0 });
  for (const title of ['a', 'b', 'c'])
    t.equal((await alice.post(`${path}/issues`, { body: { title, issue_type_id: types.task } })).status, 201, title);
  t.equal((await alice.post(`${path}/issues/2/close`)).status, 204);
  t.match(await counts(), { open_issues_count: 2, open_prs_count: 0 });
});
