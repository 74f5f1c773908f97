// Runs with the specs of planning.spec.ts: asserts that the plugin `planning` under test comes from the package.
import t from 'tap';
import { startTestForge } from '#test/support/forge';

void t.test('the tested plugin is the package', async (t) => {
  const forge = await startTestForge(t);
  const { body } = await (await forge.administrator()).get('/api/v1/admin/plugins');
  t.match(
    (body as readonly { readonly name: string }[]).find(({ name }) => name === 'planning'),
    { origin: 'package hexforge-plugin-planning', state: 'started' },
  );
});
