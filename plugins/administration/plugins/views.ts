// Views of the plugin inventory: the list, and one plugin with its contributions and needs.
import { html, type Html, type HtmlPiece, type PluginRecord } from 'hexforge/plugin';
import { facts, group, notice, pill, table, type Tone } from 'hexforge/ui';

export const pluginsPath = '/-/admin/plugins';
export const pluginPath = (name: string): string => `${pluginsPath}/${encodeURIComponent(name)}`;

const tones: Readonly<Record<string, Tone>> = {
  started: 'good',
  degraded: 'warning',
  failed: 'bad',
  rejected: 'bad',
  skipped: 'bad',
};
const statePill = ({ state }: PluginRecord): Html => pill(state, tones[state] ?? 'neutral');

/** The counted contributions, each with its name in singular and plural. */
const counted: readonly (readonly [string, string, (plugin: PluginRecord) => number])[] = [
  ['route', 'routes', ({ routes }) => routes.length],
  ['page', 'pages', ({ pages }) => pages.length],
  ['port', 'ports', ({ provides }) => provides.length],
  ['setting', 'settings', ({ settings, repository_settings: own }) => settings.length + own.length],
  ['event', 'events', ({ events }) => events.emits.length],
  ['job', 'jobs', ({ jobs }) => jobs.length],
  ['tool', 'tools', ({ tools }) => tools.length],
];

const summary = (plugin: PluginRecord): string =>
  counted
    .map(([one, many, count]) => [count(plugin), one, many] as const)
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => `${count} ${count === 1 ? one : many}`)
    .join(', ');

export const pluginList = (plugins: readonly PluginRecord[]): Html =>
  html`<h1>Plugins <span class="count">${String(plugins.length)}</span></h1>
    <p class="muted">
      Plugins are enabled and disabled in the configuration, and with the variable <code>HEXFORGE_PLUGINS</code>, at the
      next start.
    </p>
    ${table(
      ['Plugin', 'Version', 'State', 'Contributes', 'From'],
      plugins.map((plugin) => [
        html`<a href="${pluginPath(plugin.name)}">${plugin.name}</a>`,
        plugin.version ?? '',
        html`${statePill(plugin)} ${plugin.parked > 0 && pill(`${plugin.parked} events wait`, 'warning')}
        ${plugin.reason !== null && html`<span class="muted">${plugin.reason}</span>`}`,
        summary(plugin),
        html`<bdi>${plugin.origin}</bdi>`,
      ]),
    )}`;

const names = (title: string, all: readonly string[]): readonly [string, HtmlPiece] | undefined =>
  all.length === 0 ? undefined : [title, all.map((name) => html`<code>${name}</code> `)];

const needs = ({ needs: all, late, reads, references }: PluginRecord) => [
  names(
    'Ports',
    all.filter((port) => !late.includes(port)),
  ),
  names('Ports, if they exist', late),
  names('Settings', reads),
  names('Tables', references),
];

const contributions = (plugin: PluginRecord) => [
  names('Ports', plugin.provides),
  names('Pages', plugin.pages),
  names('Settings', plugin.settings),
  names('Settings of repositories', plugin.repository_settings),
  names('Permissions', plugin.permissions),
  names('Token scopes', plugin.scopes),
  names('Events', plugin.events.emits),
  names('Audit actions', plugin.audits),
  names(
    'Jobs',
    plugin.jobs.map(({ name, seconds }) => `${name}, every ${seconds} s`),
  ),
  names('Tools', plugin.tools),
  names('Indexers', plugin.indexers),
  names('Channels', plugin.channels),
  names('Health checks', plugin.probes),
  names('Tables', plugin.tables),
];

const others = (plugin: PluginRecord) => [
  names('Events that it handles', plugin.events.handles),
  names('Hosts that it connects to', plugin.outbound),
  names('Configuration', plugin.config),
  names('Environment variables', plugin.environment),
];

/** A part with the rows that have names; nothing if none has. */
const part = (title: string, about: string, rows: ReturnType<typeof needs>): Html | false =>
  rows.some((row) => row !== undefined) && group(title, about, facts(rows));

export const pluginView = (plugin: PluginRecord): Html =>
  html`<p class="quiet"><a href="${pluginsPath}">Plugins</a></p>
    <h1>${plugin.name} ${statePill(plugin)}</h1>
    ${plugin.reason !== null && notice(`${plugin.reason}. ${plugin.remedy ?? ''}`)}
    ${
      plugin.parked > 0 &&
      notice(
        html`${String(plugin.parked)} events could not be handled.
          <code>hexforge plugins replay ${plugin.name}</code> tries again.`,
      )
    }
    <p class="muted">
      ${plugin.version !== null && `Version ${plugin.version}, `}<bdi>${plugin.origin}</bdi>${!plugin.enabled && ', not enabled'}
    </p>
    ${part('Needs', 'Ports, settings and tables of others.', needs(plugin))}
    ${part('Contributes', 'All of it is gone if the plugin is disabled.', contributions(plugin))}
    ${part('Uses', 'A changed configuration is read at the next start.', others(plugin))}
    ${
      plugin.routes.length > 0 &&
      group(
        'Routes',
        undefined,
        table(
          ['Route', 'Path', 'For', 'Token scope'],
          plugin.routes.map(({ id, method, path, access, scope }) => [
            id,
            html`<code>${method} ${path}</code>`,
            access,
            scope ?? '',
          ]),
        ),
      )
    }`;
