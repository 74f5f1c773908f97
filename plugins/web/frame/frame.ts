// The frame of all pages: finds what the navigation shows to the caller, and writes the document.
import {
  pageHeaders,
  type AccessDecision,
  type AccessRule,
  type Around,
  type Call,
  type Html,
  type HtmlPage,
  type Instance,
  type Log,
  type MenuEntry,
  type PageFrame,
  type PageRegistry,
} from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import type { Tab } from '../ui/tabs.ts';
import { attempted, ordered, sections } from './contributed.ts';
import type { Assets } from './assets.ts';
import { documentOf, withPrefix, type MenuItem, type Surroundings } from './document.ts';
import { themeIn } from './theme.ts';

interface Parts {
  readonly registry: PageRegistry;
  readonly access: AccessDecision;
  readonly assets: Assets;
  readonly instance: Instance;
  readonly log: Log;
}

/** The documents load scripts, styles and images from this instance alone. Scripts cannot make HTML out of texts. */
const passive = ["style-src 'self'", "img-src 'self'"];
const active = [
  "script-src 'self'",
  ...passive,
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types hexforge',
];

export function pageFrame(parts: Parts): PageFrame {
  const { assets, instance } = parts;
  const prefix = new URL(instance.webUrl).pathname.replace(/\/$/, '');
  const { styles, script, icon } = assets;
  const fixed = { styles, script, icon, version: instance.version };
  return {
    async document(page, around) {
      const [menus, repository, panels] = await Promise.all([
        menusFor(around.call, parts),
        repositoryOf(around, parts),
        panelsOf(page, around.call, parts),
      ]);
      const path = pathOf(around);
      const section = repository?.section ?? sectionOf(menus, path);
      // On its own page, the search box is a part of the page.
      const [first] = menus['search-box'];
      const search = first?.path === path ? undefined : first;
      const frame: Surroundings = {
        ...fixed,
        theme: themeIn(around.cookies),
        menus,
        search,
        repository,
        panels,
        section,
      };
      return {
        text: withPrefix(documentOf(page, around, frame), prefix),
        headers: pageHeaders(page, page.width === 'wide' ? active : passive),
      };
    },
  };
}

/** The menu entries that the caller may use. */
async function menusFor(call: Call, { registry, access }: Parts): Promise<Surroundings['menus']> {
  const entries = ordered(registry.menu());
  const visible = await Promise.all(entries.map(({ one }) => allowed(call, one.access, access)));
  const shown = entries.filter((_, index) => visible[index]).map(({ one }) => one);
  const of = (name: MenuEntry['menu']): readonly MenuItem[] => shown.filter(({ menu }) => menu === name);
  return {
    instance: of('instance'),
    new: of('new'),
    account: of('account'),
    settings: of('settings'),
    admin: of('admin'),
    'search-box': of('search-box'),
  };
}

const allowed = (call: Call, rule: AccessRule, access: AccessDecision): Promise<boolean> =>
  access.decide(call, rule, undefined, {}).then(
    () => true,
    () => false,
  );

/** The panels in the side column of the page. */
const panelsOf = async ({ subject }: HtmlPage, call: Call, { registry, log }: Parts): Promise<readonly Html[]> =>
  subject === undefined
    ? []
    : sections(
        registry.panels().filter(({ one }) => one.on === subject.kind),
        // A panel on this kind of page accepts its subject.
        (panel) => panel.run(call, subject as never),
        log,
      );

const pathOf = ({ url }: Pick<Around, 'url'>): string => url.split('?', 1)[0] ?? '';

/** All pages of the account's settings, or of administration, on each of them. */
function sectionOf({ settings, admin }: Surroundings['menus'], path: string): Surroundings['section'] {
  for (const [title, items] of [
    ['Settings', settings],
    ['Administration', admin],
  ] as const) {
    const pages = tabsOf(items, path);
    if (pages.some(({ current }) => current)) return { title, pages };
  }
  return undefined;
}

const tabsOf = (items: readonly MenuItem[], path: string): readonly Tab[] => {
  const found = currentOf(items, path);
  return items.map((item) => ({ title: item.title, href: item.path, current: item === found }));
};

/** The item with the longest path that the page's path begins with. */
const currentOf = <T extends MenuItem & { readonly currentOn?: readonly string[] | undefined }>(
  items: readonly T[],
  path: string,
): T | undefined =>
  items
    .flatMap((item) => [item.path, ...(item.currentOn ?? [])].map((start) => ({ item, start })))
    .filter(({ start }) => path === start || path.startsWith(`${start}/`))
    .toSorted((left, right) => right.start.length - left.start.length)[0]?.item;

/** The repository of the page with its tabs, of which one leads to the pages of its settings. */
async function repositoryOf(
  { granted, url }: Around,
  { registry, log }: Parts,
): Promise<(Surroundings['repository'] & Pick<Surroundings, 'section'>) | undefined> {
  const resource = granted?.resource as Partial<Repository> | undefined;
  if (granted === undefined || resource === undefined) return undefined;
  const { id, owner, name, defaultBranch = '' } = resource;
  if (id === undefined || owner === undefined || name === undefined) return undefined;
  const branch = defaultBranch.split('/').map(encodeURIComponent).join('/');
  const within = (path: string): string =>
    path
      .replace('{owner}', owner)
      .replace('{repo}', name)
      .replace('{default_branch}', () => branch);
  const shown = ordered(registry.tabs())
    .filter(({ one }) => granted.may(one.permission))
    .map((tab) => ({
      tab,
      title: tab.one.title,
      path: within(tab.one.path),
      currentOn: tab.one.currentOn?.map(within),
    }));
  const of = (menu: 'tabs' | 'settings' | 'keys') => shown.filter(({ tab }) => (tab.one.menu ?? 'tabs') === menu);
  const main = of('tabs');
  const settings = tabsOf(of('settings'), pathOf({ url }));
  const inSettings = settings.some(({ current }) => current);
  const current = inSettings ? undefined : (currentOf(main, pathOf({ url })) ?? main[0]);
  const tabs = await Promise.all(
    main.map(async (item): Promise<Tab> => {
      const { value } = await attempted(item.tab, () => item.tab.one.count?.(id), log);
      const { key } = item.tab.one;
      const keys = key === undefined ? undefined : `g${key}`;
      return { title: item.title, href: item.path, count: value, current: item === current, key: keys };
    }),
  );
  const last = settings.slice(0, 1).map(({ href }): Tab => ({ title: 'Settings', href, current: inSettings }));
  return {
    owner,
    name,
    tabs: [...tabs, ...last],
    keys: of('keys').map(({ tab, title, path }) => ({ title, path, key: tab.one.key ?? '' })),
    section: inSettings ? { title: 'Settings of the repository', pages: settings } : undefined,
  };
}
