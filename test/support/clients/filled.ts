// Fills a repository of a test host with one of each thing that its pages show, and says by which values of path
// parameters each page is found.
import type { Answer, Client } from '#host/sdk/testing/client';

/** One pixel, PNG. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** The first made thing of each kind. */
export interface Filled {
  readonly commit: string;
  readonly ids: Readonly<
    Record<'label' | 'milestone' | 'component' | 'version' | 'template' | 'comment' | 'application', string>
  >;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function made(what: string, { status, body }: Answer): { readonly id: string } {
  if (status >= 300) throw new Error(`${what} answered ${String(status)}: ${JSON.stringify(body)}`);
  return body as { readonly id: string };
}

/** @param text in every text of the repository that a user chooses. */
export async function fillRepository(client: Client, path: string, text: string): Promise<Filled> {
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
  await write(`src/${name}.ts`, base64(`// ${text}\nexport const answer = 42;\n`));
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
  await post('/issues/2/links', { target_number: 1, type: 'relates_to' });
  await post('/merges', { title: text, description: text, source_branch: 'topic', target_branch: 'main' });
  await post('/merges/1/comments', { body: text });
  const app = {
    name: text.replaceAll(/[^ -~]/g, '').slice(0, 60),
    description: text.replaceAll(/[^ -~]/g, ''),
    redirect_uris: ['https://app.example/callback'],
  };
  const application = made('POST /user/oauth2/apps', await client.post('/user/oauth2/apps', { json: app }));
  await client.post('/user/tokens', { json: { name, scopes: ['repo:read'] } });
  await client.put(`${repository}/branches/main/protection`, { json: { required_approvals: 1 } });
  return {
    commit: commit.sha,
    ids: {
      label: label.id,
      milestone: milestone.id,
      component: component.id,
      version: version.id,
      template: template.id,
      comment: comment.id,
      application: application.id,
    },
  };
}

/** The path of a page, filled in; undefined if it needs a parameter without a value. */
export function pathOf(pattern: string, values: Readonly<Record<string, string>>): string | undefined {
  let known = true;
  const path = pattern.replaceAll(/\{(\w+)\*?\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) known = false;
    return (value ?? '').split('/').map(encodeURIComponent).join('/');
  });
  return known ? path : undefined;
}

/** Values of the parameter at the end of a path, by the segment before it. */
const targets: Readonly<Record<string, string>> = {
  tree: 'main/src',
  blob: 'main/README.md',
  raw: 'main/README.md',
  blame: 'main/README.md',
  edit: 'main/README.md',
  delete: 'main/README.md',
  'new-file': 'main',
  upload: 'main',
  find: 'main',
  commits: 'main',
  compare: 'main...topic',
};

/** Values for the parameters of a page's path. */
export function valuesFor(
  pattern: string,
  repository: { readonly owner: string; readonly repo: string },
  { commit, ids }: Filled,
): Readonly<Record<string, string>> {
  const [, segment = '', rest = ''] = /\/-\/([^/{]+)\/\{(\w+)\*\}/.exec(pattern) ?? [];
  const kind = /\/(\w+?)s\/\{id\}/.exec(pattern)?.[1] ?? '';
  const id = (ids as Readonly<Record<string, string>>)[kind];
  const target = segment === 'commit' ? commit : targets[segment];
  return {
    ...repository,
    user: repository.owner,
    number: '1',
    sha: commit,
    ...(target !== undefined && { [rest]: target }),
    ...(id !== undefined && { id }),
  };
}
