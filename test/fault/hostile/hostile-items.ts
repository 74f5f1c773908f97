// Creates merge requests and a complete issue for a hostile repository, so that requests to their routes find
// something.
import type { Places, Pushed } from './hostile-paths.ts';
import { call } from '../traffic.ts';

/** The id of the built-in issue type "task". */
export const task = '00000000-0000-4000-8000-000000000001';
/** The maximum number of branches with a merge request. */
const mostRequests = 4;
/** A text of the maximum length for descriptions and comments, of characters with the longest JSON form. */
const longest = '\u0001'.repeat(65_000);

export interface Made {
  readonly places: Places;
  /** One sentence for each answer with a failure of the server. */
  readonly faults: readonly string[];
}

export async function makeItems(url: string, token: string, { owner, repo, pack, refs }: Pushed): Promise<Made> {
  const faults: string[] = [];
  const base = `/api/v1/repos/${owner}/${repo}`;
  /** @returns the member of the answer that identifies the created object, or nothing. */
  async function make(path: string, body: object, member = 'id', method = 'POST'): Promise<string[]> {
    const { status, body: made } = await call(url, method, `${base}${path}`, token, body);
    // A request that exceeds its time limit is rejected with 503.
    if (status >= 500 && status !== 503) faults.push(`${method} ${path} answered ${status}`);
    const name = (made as Readonly<Record<string, unknown>> | undefined)?.[member];
    return status < 300 && (typeof name === 'string' || typeof name === 'number') ? [String(name)] : [];
  }

  const branches = [...refs.keys()].flatMap((ref) => (ref.startsWith('refs/heads/') ? [ref.slice(11)] : []));
  const others = branches.filter((branch) => branch !== 'main');
  const pairs = [['main', 'first'], ...others.slice(-mostRequests).map((other) => [other, 'main'])];
  const merges: string[] = [];
  for (const [source_branch, target_branch] of pairs)
    merges.push(...(await make('/merges', { source_branch, target_branch, title: 'T', body: longest }, 'number')));
  const remarks: string[] = [];
  for (const number of merges) {
    const [file_path] = pack.paths.flatMap((path) => (typeof path === 'string' ? [path] : []));
    remarks.push(
      ...(await make(`/merges/${number}/comments`, { body: longest })),
      ...(await make(`/merges/${number}/comments`, { body: 'here', file_path, line_number: 1 })),
    );
    await make(`/merges/${number}/reviews`, { state: 'changes_requested', body: longest });
  }

  const [label, milestone, component, version] = [
    await make('/labels', { name: 'l'.repeat(64), color: 'ff0000', description: '\u0001'.repeat(255) }),
    await make('/milestones', { title: 'm'.repeat(255), description: '\u0001'.repeat(2000) }),
    await make('/components', { name: 'c'.repeat(100), description: '\u0001'.repeat(1000) }),
    await make('/versions', { name: 'v'.repeat(100), description: '\u0001'.repeat(1000) }),
  ];
  const issue = {
    issue_type_id: task,
    title: 'word',
    description: longest,
    label_ids: label,
    component_ids: component,
    fix_version_ids: version,
  };
  const issues = [
    ...(await make('/issues', { ...issue, milestone_id: milestone[0] ?? null }, 'number')),
    ...(await make('/issues', { issue_type_id: task, title: 'word' }, 'number')),
  ];
  const comments = await make(`/issues/${issues[0]}/comments`, { body: longest });
  await make(`/issues/${issues[0]}/links`, { type: 'blocks', target_number: Number(issues[1]) });
  await make(`/issues/${issues[1]}/parent`, { parent_number: Number(issues[0]) }, '', 'PUT');
  await make(`/issues/${issues[0]}`, { description: 'another' }, '', 'PATCH');
  const templates = await make('/role-templates', { name: 'role', permissions: ['repo.read'] });
  for (const branch of others.slice(-1))
    await make(`/branches/${encodeURIComponent(branch)}/protection`, { required_approvals: 1 }, '', 'PUT');
  return {
    places: {
      merges,
      issues,
      comments: [...remarks, ...comments],
      labels: label,
      milestones: milestone,
      components: component,
      versions: version,
      'role-templates': templates,
      overrides: ['repos', 'users'],
      'issue-types': [task],
      pulls: merges.flatMap((number) => [number, `${number}/files`]),
    },
    faults,
  };
}
