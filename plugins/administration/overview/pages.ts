// The overview of administration: the pages that the caller may use, with counts, and the health of the plugins.
import {
  anyAdmin,
  html,
  HtmlPage,
  page,
  within,
  type AccessDecision,
  type Call,
  type Html,
  type Log,
  type MenuEntry,
  type PageRegistry,
  type PluginInventory,
  type PluginRecord,
  type Registered,
  type User,
  type WebPage,
} from 'hexforge/plugin';
import { list, pill } from 'hexforge/ui';
import { pluginPath, pluginsPath } from '../plugins/views.ts';

interface Parts {
  readonly access: AccessDecision;
  readonly registry: PageRegistry;
  readonly inventory: PluginInventory;
  readonly log: Log;
}

const overviewPath = '/-/admin';
const defaultOrder = 50;

export function overviewPages({ access, registry, inventory, log }: Parts): readonly WebPage[] {
  /** The scope of the page of an entry applies, so that a token sees no count that REST refuses it. */
  const allowed = (call: Call, { path, access: rule }: MenuEntry): Promise<boolean> => {
    const scope = registry.pages().find(({ one }) => one.path === path)?.one.scope;
    return access.decide(call, rule, scope ?? undefined, {}).then(
      () => true,
      () => false,
    );
  };

  /** The pages of administration that the caller may use, except this one. */
  const entriesFor = async (call: Call<User>): Promise<readonly Registered<MenuEntry>[]> => {
    const all = registry.menu().filter(({ one }) => one.menu === 'admin' && one.path !== overviewPath);
    const may = await Promise.all(all.map(({ one }) => allowed(call, one)));
    return all
      .filter((_, index) => may[index])
      .toSorted((left, right) => (left.one.order ?? defaultOrder) - (right.one.order ?? defaultOrder));
  };

  const countOf = async (call: Call<User>, { plugin, one }: Registered<MenuEntry>): Promise<number | undefined> => {
    try {
      return await within(undefined, async () => one.count?.(call));
    } catch (error) {
      log.warn({ plugin, part: one.id, err: error }, 'the count of a menu entry failed');
      return undefined;
    }
  };

  return [
    page({
      id: 'adminOverview',
      summary: 'The pages of administration that the caller may use',
      path: '/admin',
      access: anyAdmin,
      scope: null,
      async run(call) {
        const entries = await entriesFor(call);
        const counts = await Promise.all(entries.map((entry) => countOf(call, entry)));
        const mayList = entries.some(({ one }) => one.path === pluginsPath);
        const plugins = mayList && (await inventory.list());
        return new HtmlPage({
          title: 'Administration',
          width: 'wide',
          main: html`<h1>Administration</h1>
            ${plugins && health(plugins)}
            ${list(
              entries.map(({ one: { title, path, about } }, index) => ({
                title: html`<a href="${path}">${title}</a>`,
                about,
                end: counts[index] !== undefined && String(counts[index]),
              })),
            )}`,
        });
      },
    }),
  ];
}

/** One sentence if all is well, else a line for each plugin that is not. */
function health(all: readonly PluginRecord[]): Html {
  const enabled = all.filter(({ enabled }) => enabled);
  const ill = enabled.filter(({ state, parked }) => state !== 'started' || parked > 0);
  if (ill.length === 0)
    return html`<p>
      ${pill('healthy', 'good')} All <a href="${pluginsPath}">${String(enabled.length)} plugins</a> run.
    </p>`;
  return html`${ill.map(
    ({ name, state, reason, parked }) =>
      html`<p>
        ${pill(state === 'started' ? 'events wait' : state, state === 'started' ? 'warning' : 'bad')}
        <a href="${pluginPath(name)}">${name}</a>
        ${reason ?? ''} ${parked > 0 && `${parked} events could not be handled; see "hexforge plugins replay"`}
      </p>`,
  )}`;
}

export const overviewMenu: MenuEntry = {
  id: 'adminOverview',
  title: 'Overview',
  path: overviewPath,
  menu: 'admin',
  access: anyAdmin,
  order: 1,
};
