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
  const fixed = {
    styles: assets.pathOf('web.css'),
    script: assets.pathOf('web.js'),
    version: instance.version,
  };
  return {
    async document(page, around) {
      const [menus, repository, panels] = await Promise.all([
        menusFor(around.call, parts),
        repositoryOf(around, parts),
        panelsOf(page, around.call, parts),
      ]);
      const frame: Surroundings = { ...fixed, theme: themeIn(around.cookies), menus, repository, panels };
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
    admin: of('admin'),
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
        (panel) => panel.run(call, subject),
        log,
      );

/** The repository of the page with its tabs. */
async function repositoryOf({ granted, url }: Around, { registry, log }: Parts): Promise<Surroundings['repository']> {
  const resource = granted?.resource as Partial<Repository> | undefined;
  if (granted === undefined || resource === undefined) return undefined;
  const { id, owner, name } = resource;
  if (id === undefined || owner === undefined || name === undefined) return undefined;
  const shown = ordered(registry.tabs()).filter(({ one }) => granted.may(one.permission));
  const hrefs = shown.map(({ one }) => one.path.replace('{owner}', owner).replace('{repo}', name));
  const current = currentOf(hrefs, url.split('?', 1)[0] ?? '');
  const tabs = await Promise.all(
    shown.map(async (tab, index): Promise<Tab> => {
      const { title, count } = tab.one;
      const { value } = await attempted(tab, () => count?.(id), log);
      return { title, href: hrefs[index] ?? '', count: value, current: index === current };
    }),
  );
  return { owner, name, tabs };
}

/** The tab whose path is the longest start of the page's path; the first tab for other pages. */
function currentOf(hrefs: readonly string[], path: string): number {
  let best = 0;
  hrefs.forEach((href, index) => {
    const inside = path === href || path.startsWith(`${href}/`);
    if (inside && href.length > (hrefs[best]?.length ?? 0)) best = index;
  });
  return best;
}
