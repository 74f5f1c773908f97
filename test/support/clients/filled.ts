// Fills a repository of a test host with one of each thing that its pages show, and says by which values of path
// parameters each page is found.
import type { Answer, Client } from '#host/sdk/testing/client';

/** One pixel, PNG. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/**
 * Values of path parameters, by the literal segments before them after `/-/`, and the name of the parameter:
 * `merges/comments/cid`.
 */
export type Values = Readonly<Record<string, string>>;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function made(what: string, { status, body }: Answer): { readonly id: string } {
  if (status >= 300) throw new Error(`${what} answered ${String(status)}: ${JSON.stringify(body)}`);
  return body as { readonly id: string };
}

/** Values that are the same in every filled repository. */
export const fixedValues: Values = {
  'issues/number': '1',
  'merges/number': '1',
  'tree/target': 'main/src',
  'blob/target': 'main/README.md',
  'raw/target': 'main/README.md',
  'blame/target': 'main/README.md',
  'edit/target': 'main/README.md',
  'delete/target': 'main/README.md',
  'new-file/target': 'main',
  'upload/target': 'main',
  'find/ref': 'main',
  'commits/target': 'main',
  'compare/range': 'main...topic',
  'archive/target': 'main.zip',
  'delete-branch/branch': 'topic',
  'delete-tag/tag': 'v1',
  'settings/protection/edit/branch': 'main',
  'settings/protection/remove/branch': 'main',
  'settings/access/remove/user': 'reader',
  'admin/settings/key': 'repositories.max_forks_per_user',
  'admin/plugins/name': 'web',
};

/** Queries of pages that show more with one, by the id of the page. They find what `fillRepository` makes. */
export const queriesOf: Readonly<Record<string, readonly string[]>> = {
  searchPage: ['?q=answer', '?q=hexforgeCanary', '?q=hexforgeCanary&types=issues&sort=recent', '?q=ab&types=code'],
  signInProviderPage: ['?check=yes'],
  searchDefinition: ['?name=nothing', '?name=twice'],
};

/** @param text in every text of the repository that a user chooses. */
export async function fillRepository(client: Client, path: string, text: string): Promise<Values> {
  const repository = `/repos/${path}`;
  const post = async (below: string, json: object): Promise<{ readonly id: string }> =>
    made(`POST ${below}`, await client.post(`${repository}${below}`, { json }));
  const write = async (file: string, content: string, branch = 'main'): Promise<{ readonly commit: { sha: string } }> =>
    made(
      `PUT ${file}`,
      await client.put(`${repository}/contents/${encodeURIComponent(file)}`, {
        json: { message: `${text}\n\n${text}`, content, ...(branch !== 'main' && { branch }) },
      }),
    ) as never;
  const name = text.replaceAll(/[/\\]/g, '').slice(0, 60).trim();
  await client.patch(repository, { json: { description: text } });
  await write('README.md', base64(`# ${text}\n\n${text} **bold** [a](javascript:alert(1)) #1 !1 @alice\n`));
  await write(
    `src/${name}.ts`,
    base64(
      `// ${text}\nexport const answer = 42;\nexport const twice = 1;\nexport class Twice {\n  twice(): void {}\n}\n`,
    ),
  );
  await write('image.png', pixel);
  await write('image.svg', base64(`<svg xmlns="http://www.w3.org/2000/svg"><script>hexforgeCanary=1</script></svg>`));
  await post('/branches', { name: 'topic', base_ref: 'main' });
  const { commit } = await write(`src/new ${name}.ts`, base64(`// ${text}\nexport const answer = 43;\n`), 'topic');
  await post('/tags', { name: 'v1', ref: 'main' });
  const label = await post('/labels', { name, color: 'd73a4a', description: text });
  const milestone = await post('/milestones', { title: text, description: text, due_date: '2030-01-31' });
  const component = await post('/components', { name });
  const version = await post('/versions', { name });
  const template = await post('/role-templates', { name: 'Reader of code', permissions: ['repo.read'] });
  const types = (await client.get('/issue-types')).body as readonly { readonly id: string; readonly name: string }[];
  const issue = { description: text, issue_type_id: types.find((type) => type.name === 'task')?.id };
  await post('/issues', { ...issue, title: text, label_ids: [label.id], milestone_id: milestone.id });
  await post('/issues', { ...issue, title: `Second ${text}` });
  const comment = await post('/issues/1/comments', { body: text });
  await client.patch(`${repository}/issues/1`, { json: { description: `Changed ${text}` } });
  const edits = await client.get(`${repository}/issues/1/description-history`);
  await post('/issues/2/links', { target_number: 1, type: 'relates_to' });
  await post('/merges', { title: text, description: text, source_branch: 'topic', target_branch: 'main' });
  const remark = await post('/merges/1/comments', { body: text });
  const plain = text.replaceAll(/[^ -~]/g, '');
  const application = made(
    'an application',
    await client.post('/user/oauth2/apps', {
      json: { name: plain.slice(0, 60), description: plain, redirect_uris: ['https://app.example/callback'] },
    }),
  );
  await client.post('/user/tokens', { json: { name, scopes: ['repo:read'] } });
  await client.put(`${repository}/branches/main/protection`, { json: { required_approvals: 1 } });
  made('a collaborator', await client.put(`${repository}/collaborators/reader`, { json: { role: 'read' } }));
  return {
    ...fixedValues,
    'commit/ref': commit.sha,
    'labels/id': label.id,
    'milestones/id': milestone.id,
    'components/id': component.id,
    'versions/id': version.id,
    'settings/roles/id': template.id,
    'issues/comments/id': comment.id,
    'issues/history/id': itemsOf(edits)[0]?.id ?? '',
    'merges/comments/cid': remark.id,
    'settings/applications/id': application.id,
    'admin/applications/id': application.id,
  };
}

const itemsOf = ({ body }: Answer): readonly { readonly id: string }[] =>
  Array.isArray(body) ? body : ((body as { readonly items?: [] }).items ?? []);

/** Makes one of each thing that pages of the instance show. @param admin its administrator. */
export async function fillInstance(admin: Client, text: string): Promise<Values> {
  const post = async (path: string, json: object): Promise<{ readonly id: string }> =>
    made(path, await admin.post(path, { json }));
  const group = await post('/admin/user-groups', { name: text.slice(0, 60).trim() });
  const { users } = (await admin.get('/admin/users')).body as { readonly users: readonly { readonly id: string }[] };
  const types = await admin.get('/issue-types');
  const entries = await admin.get('/admin/audit-log');
  return {
    'admin/users/uid': users[0]?.id ?? '',
    'admin/user-groups/id': group.id,
    'admin/limits/groups/group_id': group.id,
    'admin/limits/groups/scope': 'api.read',
    'admin/issue-types/id': itemsOf(types)[0]?.id ?? '',
    'admin/audit/id': itemsOf(entries)[0]?.id ?? '',
    'admin/sign-in/provider': 'oidc',
  };
}

/** The parameters of the path of a page; undefined if one has no value. */
export function parametersOf(pattern: string, values: Values): Readonly<Record<string, string>> | undefined {
  const literal: string[] = [];
  const parameters: Record<string, string> = {};
  for (const segment of pattern.slice(1).split('/')) {
    const name = parameterIn(segment);
    if (name === undefined) {
      if (segment === '-') literal.length = 0;
      else literal.push(segment);
      continue;
    }
    const value = values[[...literal, name].join('/')];
    if (value === undefined) return undefined;
    parameters[name] = value;
  }
  return parameters;
}
const parameterIn = (segment: string): string | undefined => /^\{(\w+)\*?\}$/.exec(segment)?.[1];

/** The path of a page, filled in; undefined if a parameter has no value. */
export function pathOf(pattern: string, values: Values): string | undefined {
  const parameters = parametersOf(pattern, values);
  return (
    parameters &&
    pattern
      .split('/')
      .map((segment) => {
        const name = parameterIn(segment);
        return name === undefined ? segment : (parameters[name] ?? '').split('/').map(encodeURIComponent).join('/');
      })
      .join('/')
  );
}
