// The page with the ways to connect an assistant to a repository, and the switch of MCP for the repository.
import {
  form,
  html,
  HtmlPage,
  oneOf,
  page,
  shape,
  type Html,
  type RefusedForm,
  type RepositoryTab,
  type SidePanel,
  type WebPage,
} from 'hexforge/plugin';
import { mcpResource } from 'hexforge/oauth';
import { repositoryPage, type Repositories, type Repository } from 'hexforge/repositories';
import { button, copyField, formError, group, notice, pill } from 'hexforge/ui';
import type { McpDescriptor, McpUseCases } from '#core/mcp/use-cases';
import { readsAsUser, switches } from '../access.ts';

const path = (repository: Pick<Repository, 'owner' | 'name'>): string => repositoryPage(repository, 'mcp');

/** The name under which clients list the server: letters, digits, `-` and `_`. */
const nameIn = ({ owner, name }: Repository): string => `${owner}-${name}`.replaceAll(/[^A-Za-z0-9_-]/g, '-');

const stateOf = ({ enabled, instanceEnabled }: McpDescriptor): Html =>
  enabled && instanceEnabled ? pill('On', 'good') : pill('Off');

/** How clients are connected, each in one command or file. */
function ways(repository: Repository, url: string): readonly { readonly title: string; readonly text: string }[] {
  const name = nameIn(repository);
  return [
    { title: 'Claude Code', text: `claude mcp add --transport http ${name} ${url}` },
    {
      title: 'Claude Code, with a token',
      text: `claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer TOKEN"`,
    },
    {
      title: 'VS Code, in .vscode/mcp.json',
      text: JSON.stringify({ servers: { [name]: { type: 'http', url } } }, undefined, 2),
    },
    {
      title: 'MCP Inspector, from a terminal',
      text: `npx @modelcontextprotocol/inspector --cli ${url} \\\n  --transport http --header "Authorization: Bearer TOKEN" --method tools/list`,
    },
  ];
}

function switchForm({ enabled, repository }: McpDescriptor, refused: RefusedForm | undefined): Html {
  return group(
    'Switch',
    'For all people who can read the repository. A change takes effect at once and is in the audit log.',
    html`<form class="form" method="post" action="${path(repository)}">
      ${formError(refused, 'mcpSwitchForm', 'enabled')}
      <input type="hidden" name="enabled" value="${enabled ? 'false' : 'true'}" />
      ${enabled ? button('Switch off for this repository') : button('Switch on for this repository', { kind: 'primary' })}
    </form>`,
  );
}

const closed = ({ instanceEnabled }: McpDescriptor): Html =>
  notice(
    instanceEnabled
      ? 'Assistants cannot read this repository: it is switched off here.'
      : 'Assistants cannot read repositories of this instance: an administrator has switched it off.',
  );

const connecting = (repository: Repository, url: string): Html =>
  html`${group(
    'Address',
    'Each repository has its own. A client that signs in by itself opens this site in a browser and asks you for access; this needs the registration of applications, which an administrator allows.',
    copyField({ id: 'mcp-address', label: 'Address of the MCP server', value: url }),
  )}
  ${group(
    'Connect a client',
    html`Where a command has TOKEN, use a <a href="/-/settings/tokens/new">personal access token</a> with the scope
      <code>mcp:read</code> and nothing else.`,
    html`${ways(repository, url).map(({ title, text }, index) =>
      copyField({ id: `mcp-way-${index}`, label: title, value: text }),
    )}`,
  )}`;

const reach = (capabilities: readonly string[]): Html =>
  group(
    'What an assistant can do',
    '',
    html`<ul>
      <li>
        It reads what you can read: files, history, branches and
        tags${capabilities.includes('issues') && ', issues and comments'}. It changes nothing.
      </li>
      ${
        capabilities.includes('search') &&
        html`<li>Code search also finds files of other repositories that you can read.</li>`
      }
      <li>
        Files, commit messages and comments are written by people you may not know. They can contain sentences that try
        to give your assistant orders. Let it ask you before it runs commands or sends anything elsewhere.
      </li>
      <li>What it reads goes to whoever runs the assistant.</li>
    </ul>`,
  );

export const mcpPages = (useCases: McpUseCases, baseUrl: () => string): readonly WebPage[] => [
  page({
    id: 'repositoryMcp',
    summary: 'How to connect an assistant to a repository over MCP',
    place: 'repository',
    path: '/mcp',
    access: readsAsUser,
    scope: 'repo.read',
    async run(_call, { granted, refused }) {
      const descriptor = await useCases.describe(granted);
      const { repository, enabled, instanceEnabled, capabilities } = descriptor;
      const url = mcpResource(baseUrl(), repository.owner, repository.name);
      return new HtmlPage({
        title: 'Assistants',
        width: 'wide',
        main: html`<h1>Assistants ${stateOf(descriptor)}</h1>
          <p>
            AI assistants and editors can read this repository over the Model Context Protocol (MCP), with your own
            access.
          </p>
          ${enabled && instanceEnabled ? connecting(repository, url) : closed(descriptor)} ${reach(capabilities)}
          ${granted.may('repo.admin') && switchForm(descriptor, refused)}`,
      });
    },
    forms: [
      form({
        id: 'mcpSwitchForm',
        summary: 'Switches MCP on or off for a repository',
        place: 'repository',
        path: '/mcp',
        access: switches,
        scope: 'repo.admin',
        body: shape({ enabled: oneOf('true', 'false') }),
        async run(_call, { granted, body }) {
          await useCases.change(granted, { enabled: body.enabled === 'true' });
          return path(granted.resource);
        },
      }),
    ],
  }),
];

export const mcpTabs: readonly RepositoryTab[] = [
  { id: 'mcp', title: 'Assistants', path: '/mcp', menu: 'settings', permission: 'repo.admin', order: 70 },
];

/** A link for readers, who do not see the settings. */
export const mcpPanels = (useCases: McpUseCases, repositories: Repositories): readonly SidePanel[] => [
  {
    id: 'mcp',
    title: 'Assistants',
    on: 'repository',
    order: 80,
    async run({ caller }, { repositoryId }) {
      const repository = caller.kind === 'user' ? await repositories.byId(repositoryId) : undefined;
      if (repository === undefined || !(await useCases.isOpen(repository))) return undefined;
      return html`<a href="${path(repository)}">Connect an assistant</a>`;
    },
  },
];
