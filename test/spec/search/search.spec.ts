// GET /api/v1/search: parameters, sections, sorts, hits and statuses.
import t from 'tap';
import { sharedForge } from '#test/support/shared-forge';
import { empty, eventually, pathsOf, people, put, repositoryOf, repos, search, expect, ask } from './world.ts';

const task = '00000000-0000-4000-8000-000000000003';

void t.test('a pushed file is found by its text, with line and snippet', async (t) => {
  const { alice } = await people(t, await sharedForge(t));
  await repositoryOf(alice, 'alice', 'site', {
    'src/parse.ts': 'const a = 1;\nexport function parseConfig(text: string) {\n  return text;\n}\n',
    'README.md': '# The site\n\nIt calls parseConfig.\n',
  });
  const found = await eventually(
    () => search(alice, 'parseConfig'),
    ({ code }) => code.total === 2,
  );
  t.match(found.code.hits[0], {
    source: {
      repo_owner: 'alice',
      repo_name: 'site',
      path: 'src/parse.ts',
      lang: 'typescript',
      line: 2,
      snippet: /parseConfig/,
    },
  });
  t.strictSame(Object.keys(found), ['code', 'symbols', 'issues', 'mrs', 'docs']);
  t.strictSame(found.docs, empty);
  await put(alice, 'alice/site', 'src/parse.ts', 'nothing\n');
  await eventually(
    () => search(alice, 'parseConfig'),
    ({ code }) => code.total === 1 && pathsOf(code)[0] === 'README.md',
  );
});

void t.test('issues and merge requests are found', async (t) => {
  const { alice } = await people(t, await sharedForge(t));
  await repositoryOf(alice, 'alice', 'site', { 'a.txt': 'a\n' });
  expect(
    await alice.post(`${repos}/alice/site/issues`, {
      body: { title: 'Broken zeppelin', description: 'It does not fly', issue_type_id: task },
    }),
    201,
  );
  const found = await eventually(
    () => search(alice, 'zeppelin'),
    ({ issues }) => issues.total === 1,
  );
  t.match(found.issues.hits[0], {
    source: {
      repo_owner: 'alice',
      repo_name: 'site',
      number: 1,
      title: 'Broken zeppelin',
      state: 'open',
      snippet: 'It does not fly',
    },
  });
});

void t.test('an empty text is 400, and an anonymous caller is 401', async (t) => {
  const forge = await sharedForge(t);
  const { alice } = await people(t, forge);
  for (const q of ['', '   ']) t.equal((await ask(alice, q)).status, 400);
  t.equal((await alice.get('/api/v1/search')).status, 400);
  t.equal((await ask(forge.anonymous, 'a')).status, 401);
});

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
