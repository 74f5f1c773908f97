// Tests that the pages, tabs, menu entries, cards and panels of a disabled plugin are gone, and all others work.
import t from 'tap';
import { standardPlugins } from '#config/standard';
import { Refused } from '#host/problems/problem';
import { testHost, type TestHost } from '#host/sdk/testing';

const path = 'alice/site';
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A forge without these plugins, and without those that cannot start without them, as the refusal names them. */
async function without(
  off: ReadonlySet<string>,
): Promise<{ readonly forge: TestHost; readonly off: ReadonlySet<string> }> {
  try {
    const plugins = [...off].map((name) => `-${name}`).join();
    return { forge: await testHost([], { log: quiet, environment: { HEXFORGE_PLUGINS: plugins } }), off };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const dependents = error.problems.flatMap(({ message, remedy }) => {
      const [, names = ''] = /HEXFORGE_PLUGINS=(-[\w,-]+)/.exec(remedy) ?? [];
      const named = [...names.matchAll(/(?:^|,)-([\w-]+)/g)].map(([, name = '']) => name);
      // A scope of another plugin has no such remedy.
      return [...named, ...(/of plugin "([\w-]+)"/.exec(message)?.slice(1) ?? [])];
    });
    const more = new Set([...off, ...dependents]);
    if (more.size === off.size) throw error;
    return without(more);
  }
}

/** The contributions to pages, each with the plugin that it is from. */
function contributed(forge: TestHost) {
  const registry = forge.port('PageRegistry');
  return {
    pages: registry.pages().map(({ plugin, one }) => ({ plugin, name: one.path })),
    tabs: registry.tabs().map(({ plugin, one }) => ({ plugin, name: one.path })),
    menu: registry.menu().map(({ plugin, one }) => ({ plugin, name: one.path })),
    cards: registry.cards().map(({ plugin, one }) => ({ plugin, name: one.id })),
    panels: registry.panels().map(({ plugin, one }) => ({ plugin, name: one.id })),
  };
}
type Contributed = ReturnType<typeof contributed>;

/** The address of a page without further parameters; undefined for the others. */
const addressOf = (page: string): string | undefined => {
  const address = page.replace('{owner}', 'alice').replace('{repo}', 'site');
  return address.includes('{') ? undefined : address;
};

/** The status of each page that has an address, as the administrator sees it. */
async function statuses(forge: TestHost, pages: readonly string[], who: string | undefined) {
  const browser = forge.browser(who);
  const found = new Map<string, number>();
  for (const page of pages) {
    const address = addressOf(page);
    if (address !== undefined) found.set(page, (await browser.open(address)).status);
  }
  return found;
}

void t.test('with any one plugin off, its parts of pages are gone and the others work', async (t) => {
  const whole = await testHost([], { log: quiet, repositories: [{ path, visibility: 'public' }] });
  const all = contributed(whole);
  const before = await statuses(
    whole,
    all.pages.map(({ name }) => name),
    'admin',
  );
  await whole.stop();
  t.ok([...before.values()].filter((status) => status === 200).length >= 15);

  for (const { name } of standardPlugins.filter(({ enabled }) => enabled)) {
    const { forge, off } = await without(new Set([name]));
    await using _ = forge;
    const left = contributed(forge);
    for (const kind of Object.keys(all) as (keyof Contributed)[])
      t.strictSame(
        left[kind],
        all[kind].filter(({ plugin }) => !off.has(plugin)),
        `${kind} without ${name}`,
      );
    // Without an audit log nothing can be created.
    const repositories = ['repositories', 'identity', 'audit'].every((needed) => !off.has(needed));
    if (repositories) await forge.repository(path, { visibility: 'public' });
    const who = off.has('identity') ? undefined : 'admin';
    const shown = await statuses(forge, [...before.keys()], who);
    for (const { name: page, plugin } of all.pages) {
      const status = before.get(page);
      if (status === undefined) continue;
      const gone = off.has(plugin) || off.has('web');
      if (page === '/' && gone) continue;
      const wanted = gone ? 404 : status;
      const comparable = who !== undefined && (repositories || !page.includes('{owner}'));
      if (gone || comparable) t.equal(shown.get(page), wanted, `${page} without ${name}`);
    }
    if (off.has('web')) continue;
    for (const address of ['/', ...(repositories ? [`/${path}`] : [])]) {
      const { html, status } = await forge.browser(who).open(address);
      t.equal(status, 200, `${address} without ${name}`);
      for (const { plugin, name: href } of [...all.menu, ...all.tabs])
        if (off.has(plugin)) t.notMatch(html, `href="${addressOf(href) ?? href}"`, `${href} without ${name}`);
    }
  }
});
