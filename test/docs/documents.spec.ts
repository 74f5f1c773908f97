// The pages of `docs/`: examples compile and run, links are valid, lists are complete.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { standardPlugins } from '#config/standard';
import type { PluginDefinition } from '#host/plugin/definition';
import { startTestForge } from '#test/support/forge';
import greeting from '../../docs/examples/greeting.ts';
import { projectFiles, root } from '../../tools/project-files.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const pages = projectFiles(['md']);

void t.test('every link of a page points to a file', async (t) => {
  t.ok(pages.length >= 10);
  const broken = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].flatMap(([, target = '']) =>
      /^https?:/.test(target) || existsSync(join(root, dirname(path), target)) ? [] : [`${path} links to ${target}`],
    ),
  );
  t.strictSame(broken, []);
});

void t.test('the page on dependencies names exactly the dependencies of package.json', async (t) => {
  const manifest = JSON.parse(read('package.json')) as Record<
    'dependencies' | 'devDependencies' | 'optionalDependencies',
    Record<string, string>
  >;
  const used = Object.keys({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  }).sort();
  const named = [...read('docs/dependencies.md').matchAll(/^\| (`[^|]+`) \|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .sort();
  t.strictSame(named, used);
});

void t.test('the pages on plugins show their examples unchanged', async (t) => {
  for (const [page, example] of [
    ['docs/writing-a-plugin.md', 'docs/examples/greeting.ts'],
    ['docs/plugins/bots.md', 'docs/examples/first-look.ts'],
    ['docs/plugins/ports.md', 'docs/examples/motto.ts'],
    ['docs/plugins/pages.md', 'docs/examples/bells.ts'],
  ] as const) {
    const [, shown] = new RegExp(`<!-- ${RegExp.escape(example)} -->\n\`\`\`ts\n([^]*?)\`\`\``).exec(read(page)) ?? [];
    t.equal(shown, read(example), page);
  }
});

void t.test('the pages on pages have no other code', (t) => {
  for (const [page, blocks] of [
    ['docs/plugins/pages.md', 1],
    ['docs/web.md', 0],
  ] as const)
    t.equal([...read(page).matchAll(/^```/gm)].length, 2 * blocks, page);
  t.end();
});

void t.test('the example runs', async (t) => {
  const forge = await startTestForge(t, {
    definitions: [greeting],
    configuration: { plugins: { greeting: { path: join(root, 'docs/examples/greeting.ts'), word: 'Good morning' } } },
  });
  await forge.createUser('ada', { displayName: 'Ada' });
  t.strictSame((await forge.anonymous.get('/api/v1/x/greeting/ada')).body, { text: 'Good morning, Ada!' });
  t.strictSame((await forge.anonymous.get('/api/v1/x/greeting/nobody')).body, { text: 'Good morning, stranger!' });
});

/** The members that the areas of core add to an extensible interface, each with its file. */
const declaredIn = (open: string): readonly string[] =>
  globSync('core/**/*.ts', { cwd: root })
    .sort()
    .flatMap((path) => {
      const [, members = ''] =
        new RegExp(
          `declare module '#core/kernel/[\\w/]+' \\{\\n {2}interface ${open} \\{\\n([\\s\\S]*?)\\n {2}\\}`,
        ).exec(read(path)) ?? [];
      return [...members.matchAll(/^ {4}'?([\w.]+)'?: /gm)].map(([, name = '']) => `${name} ${path}`);
    });
/** The rows of a table of a page: the first cell with the file in the last cell. */
const listedIn = (page: string): readonly string[] =>
  [...read(page).matchAll(/^\| `([\w.]+)` \|.*\| `(core\/[^`]+)` \|$/gm)].map(
    ([, name = '', path = '']) => `${name} ${path}`,
  );

void t.test('the page on events lists exactly the events of core', async (t) => {
  t.ok(declaredIn('EventPayloads').length >= 10);
  t.strictSame([...listedIn('docs/api/events.md')].sort(), [...declaredIn('EventPayloads')].sort());
});

void t.test('the page on the audit log lists exactly the actions of core', async (t) => {
  t.ok(declaredIn('AuditActions').length >= 40);
  t.strictSame([...listedIn('docs/api/audit.md')].sort(), [...declaredIn('AuditActions')].sort());
});

void t.test('the page on standards names tests that exist', async (t) => {
  const named = [...read('docs/api/standards.md').matchAll(/`((?:test\/)?[\w/.-]+\.spec\.ts)`/g)].map(([, name = '']) =>
    name.startsWith('test/') ? name : `test/spec/oauth-server/${name}`,
  );
  t.ok(named.length > 100);
  t.strictSame(
    [...new Set(named)].filter((name) => !existsSync(join(root, name))),
    [],
  );
});

void t.test('every audit action of core is declared by a standard plugin', async (t) => {
  const declared = await Promise.all(
    standardPlugins.map(async ({ module }) => {
      const { default: definition } = (await import(module)) as { default: PluginDefinition };
      return definition.audits ?? [];
    }),
  );
  t.strictSame(
    declared.flat().toSorted(),
    declaredIn('AuditActions')
      .map((line) => line.split(' ', 1)[0])
      .toSorted(),
  );
});

void t.test('decisions are numbered without gaps and have their four parts', async (t) => {
  const names = globSync('*.md', { cwd: join(root, 'docs/decisions') }).sort();
  t.strictSame(
    names.map((name) => name.slice(0, 3)),
    names.map((_, index) => String(index + 1).padStart(3, '0')),
  );
  for (const name of names) {
    const text = read(`docs/decisions/${name}`);
    for (const part of ['Context', 'Choice', 'Weighed', 'Consequences'])
      t.match(text, `**${part}.**`, `${name}: ${part}`);
  }
});
