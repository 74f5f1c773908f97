// Whose the plugin planning is, in the installation that planning.spec.ts makes.
import t from 'tap';
import { startTestForge } from '#test/support/forge';

void t.test('the plugin that is tested is the package', async (t) => {
  const forge = await startTestForge(t);
  const { body } = await (await forge.administrator()).get('/api/v1/admin/plugins');
  t.match(
    (body as readonly { readonly name: string }[]).find(({ name }) => name === 'planning'),
    { origin: 'package hexforge-plugin-planning', state: 'started' },
  );
});
