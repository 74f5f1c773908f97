// Regular expressions in a search.
import t from 'tap';
import { sharedForge } from '#test/support/shared-forge';
import { ask, eventually, people, repositoryOf, search } from './world.ts';

void t.test('a regular expression between slashes is tested on lines that contain its literal text', async (t) => {
  const { alice } = await people(t, await sharedForge(t));
  await repositoryOf(alice, 'alice', 'site', {
    'a.ts': 'const x = 1;\nparseHeader(7)\n',
    'b.ts': 'parseHeader(x)\n',
    'c.ts': 'PARSEheaders 7\n',
  });
  const found = await eventually(
    () => search(alice, String.raw`/parse\w+\(\d\)/`),
    ({ code }) => code.total === 1,
  );
  t.match(found.code.hits, [{ source: { path: 'a.ts', line: 2 } }]);
  await eventually(
    () => search(alice, '/^parseheader/'),
    ({ code }) => code.total === 3,
  );
  for (const q of [
    '/parse(/',
    '/[ab]+/',
    '/(a{100}){100}parse/',
    '/parse|other/',
    String.raw`/parse(?:a?){90}(?:b?){90}/`,
  ])
    t.match((await ask(alice, q)).body, { error_code: 'validation_failed', detail: String }, q);
});
