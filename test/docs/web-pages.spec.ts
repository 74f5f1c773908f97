// The page on the web interface names every page, every write of REST, and nothing else.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { root } from '../../tools/project-files.ts';

const text = readFileSync(join(root, 'docs/web.md'), 'utf8');

/** The part about each plugin, by its name. */
const sections = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);
const quoted = (section: string): readonly string[] =>
  [...section.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name);

/** The paths of pages in a section. One that begins with `…` is the end of a path. */
const pathsIn = (section: string): readonly string[] =>
  quoted(section).flatMap((name) => (/^(?:\/-\/|\/\{|…\/)/.test(name) ? (name.split('?', 1)[0] ?? []) : []));

/** Whether the segments of a pattern fit those of a documented path. `{name*}` is any number of them. */
const fits = ([first, ...rest]: readonly string[], [named, ...others]: readonly string[]): boolean =>
  first === undefined || named === undefined
    ? first === named
    : first.endsWith('*}')
      ? true
      : (first === named || (first.startsWith('{') && named.startsWith('{'))) && fits(rest, others);

function documents(named: string, pattern: string): boolean {
  const segments = pattern.slice(1).split('/');
  if (named.startsWith('/')) return fits(segments, named.slice(1).split('/'));
  const end = named.slice(2).split('/');
  return segments.some((_, index) => fits(segments.slice(index), end));
}

await using forge = await testHost([]);
const plugins = (await forge.port('PluginInventory').list()).filter(({ name }) => sections.has(name));
const pages = forge.port('PageRegistry').pages();
const isRest = (path: string): boolean => path.startsWith('/api/');

void t.test('every plugin with pages has a section', async (t) => {
  t.strictSame([...sections.keys()].sort(), [...new Set(pages.map(({ plugin }) => plugin))].sort());
});

void t.test('every page is in the section of its plugin', async (t) => {
  for (const { plugin, one } of pages.filter(({ one }) => one.path !== '/'))
    t.ok(
      pathsIn(sections.get(plugin) ?? '').some((named) => documents(named, one.path)),
      `${plugin}: ${one.path}`,
    );
});

void t.test('every path of a section is one of its plugin', async (t) => {
  for (const { name, routes } of plugins) {
    const patterns = [
      ...routes.map(({ path }) => path).filter((path) => !isRest(path)),
      ...pages.filter(({ plugin }) => plugin === name).map(({ one }) => one.path),
    ];
    for (const named of pathsIn(sections.get(name) ?? ''))
      t.ok(
        patterns.some((pattern) => documents(named, pattern)),
        `${name}: ${named}`,
      );
  }
});

void t.test('every write of REST is done by a page, or named with the reason', async (t) => {
  const writes = plugins.flatMap(({ name, routes }) =>
    routes.filter(({ method, path }) => method !== 'GET' && isRest(path)).map(({ id }) => ({ name, id })),
  );
  t.ok(writes.length > 90, `${String(writes.length)} writes`);
  for (const { name, id } of writes) t.ok(quoted(sections.get(name) ?? '').includes(id), `${name}: ${id}`);
});

void t.test('every operation in a table exists', async (t) => {
  const known = new Set(
    (await forge.port('PluginInventory').list()).flatMap(({ routes }) => routes.map(({ id }) => id)),
  );
  const cells = [...text.matchAll(/^\|.*\| ([^|]*) \|$/gm)].flatMap(([, cell = '']) => quoted(cell));
  t.ok(cells.length > 150, `${String(cells.length)} operations`);
  t.strictSame(
    cells.filter((id) => !known.has(id)),
    [],
  );
});
