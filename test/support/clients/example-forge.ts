// An example of a forge in use, for pictures of its pages: a repository with issues and a merge request under review.
import type { TestHost } from '#host/sdk/testing';
import type { Answer } from '#host/sdk/testing/client';
import { fixedValues, type Values } from './filled.ts';

const labels = [
  ['area/git', '3f7fbf', 'Refs, packs and transport'],
  ['area/web', '8a5fc0', 'Pages and forms'],
  ['good first issue', '2f9e5b', 'Small and well described'],
  ['needs discussion', 'd29922', ''],
  ['regression', 'c0392b', 'It worked in an earlier version'],
] as const;

const issues = [
  ['Push of 2 GB stalls when the proxy buffers requests', 'bug', [0, 4]],
  ['Show the merge commit in the header of an issue it closes', 'feature', [1]],
  ['`hexforge check` does not name the file of a bad key', 'bug', [2]],
  ['Document the order in which plugins are stopped', 'task', [2]],
  ['Blame of a file that was renamed twice loses the first author', 'bug', [0]],
  ['Keyboard: step through files of a merge request with j and k', 'feature', [1]],
  ['An operator can limit the size of a repository', 'story', [0, 3]],
  ['Session ends while a long comment is written', 'bug', [1, 4]],
] as const;

const description = `A client behind a proxy that buffers requests waits for the whole body before the server sees a byte.

## Steps

1. Configure a proxy with \`proxy_request_buffering on\`.
2. Push a repository of 2 GB.

\`\`\`ts
const answer = await fetch(url, { method: 'POST', body: pack });
if (!answer.ok) throw new Error(answer.statusText);
\`\`\`

| Proxy | Time to the first byte |
|---|---|
| none | 0.2 s |
| buffering | 94 s |

> [!NOTE]
> Pushes below 64 MB are not affected. See #3.
`;

function made<T>(what: string, { status, body }: Answer): T {
  if (status >= 300) throw new Error(`${what} answered ${String(status)}: ${JSON.stringify(body)}`);
  return body as T;
}

/** @param push pushes `main` and the branch `quiet-logs` to a remote. */
export async function fillExample(forge: TestHost, push: (remote: string) => Promise<unknown>): Promise<Values> {
  await forge.repository('ada/engine', { visibility: 'public', description: 'A forge whose every part is a plugin' });
  for (const name of ['bo', 'cleo']) await forge.user(name);
  const ada = forge.as('ada');
  const repository = '/repos/ada/engine';
  const by =
    (name: string) =>
    async (path: string, json: object): Promise<{ readonly id: string; readonly number: number }> =>
      made(`POST ${path}`, await forge.as(name).post(`${repository}${path}`, { json }));
  const post = by('ada');
  const { token } = made<{ token: string }>(
    'a token',
    await ada.post('/user/tokens', { json: { name: 'laptop', scopes: ['repo:write'] } }),
  );
  await push(`${forge.url.replace('://', `://ada:${token}@`)}/ada/engine.git`);
  for (const name of ['bo', 'cleo'])
    made(name, await ada.put(`${repository}/collaborators/${name}`, { json: { role: 'write' } }));
  const labelIds: string[] = [];
  for (const [name, color, about] of labels)
    labelIds.push((await post('/labels', { name, color, description: about })).id);
  const milestone = await post('/milestones', { title: '1.4', description: 'Faster pages', due_date: '2026-12-18' });
  const component = await post('/components', { name: 'transport' });
  const version = await post('/versions', { name: '1.3.2' });
  const template = await post('/role-templates', { name: 'Reviewer', permissions: ['repo.read', 'issue.write'] });
  await post('/tags', { name: 'v1.3.2', ref: 'main' });
  const types = made<readonly { id: string; name: string }[]>('types', await ada.get('/issue-types'));
  for (const [index, [title, type, of]] of issues.entries())
    await by(['ada', 'bo', 'cleo'][index % 3] ?? 'ada')('/issues', {
      title,
      description: index === 0 ? description : 'It happens on every machine that we tried.',
      issue_type_id: (types.find(({ name }) => name === type) ?? types[0])?.id,
      ...(index % 3 === 0 && { label_ids: of.map((label) => labelIds[label]) }),
    });
  await ada.patch(`${repository}/issues/1`, { json: { milestone_id: milestone.id, label_ids: labelIds.slice(0, 1) } });
  const comment = await by('bo')('/issues/1/comments', {
    body: 'I can reproduce it with **nginx** 1.22. @ada, is the limit of 64 MB on purpose?',
  });
  await post('/issues/1/comments', { body: 'It is. The buffer is on disk there, and `client_max_body_size` applies.' });
  await post('/issues/4/close', {});
  await post('/branches', { name: 'push-progress', base_ref: 'main' });
  const written = made<{ commit: { sha: string } }>(
    'a file',
    await ada.put(`${repository}/contents/core%2Fprogress.ts`, {
      json: {
        branch: 'push-progress',
        message: 'Report the progress of a push\n\nThe client sees how much of its pack was received.',
        content: Buffer.from(
          `// The progress of a push.\nexport function progress(received: number, total: number): string {\n  if (total === 0) return '0 %';\n  return \`\${Math.round((100 * received) / total)} %\`;\n}\n`,
        ).toString('base64'),
      },
    }),
  );
  await post('/merges', {
    title: 'Report the progress of a push',
    description: 'Closes #1. The side band has room for one line a second.',
    source_branch: 'push-progress',
    target_branch: 'main',
  });
  await by('bo')('/merges/1/comments', { body: 'Nice. Does a client of version 1 see it too?' });
  made('protection', await ada.put(`${repository}/branches/main/protection`, { json: { required_approvals: 1 } }));
  return {
    ...fixedValues,
    'commit/ref': written.commit.sha,
    'labels/id': labelIds[0] ?? '',
    'milestones/id': milestone.id,
    'components/id': component.id,
    'versions/id': version.id,
    'settings/roles/id': template.id,
    'issues/comments/id': comment.id,
    'settings/access/remove/user': 'bo',
    owner: 'ada',
    repo: 'engine',
    user: 'ada',
  };
}
