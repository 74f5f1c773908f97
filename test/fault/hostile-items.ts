// What hangs on a hostile repository beside its objects: merge requests of its branches and an issue with all that an
// issue may have, so that the routes that read them are asked for something that is there.
import type { Places, Pushed } from './hostile-paths.ts';
import { call } from './traffic.ts';

/** Document D, "Issues": built-in types. */
export const task = '00000000-0000-4000-8000-000000000001';
/** Branches that a merge request is opened from. */
const mostRequests = 4;
/** At the bound of what a description or comment may have, and of characters that JSON writes longest. */
const longest = '\u0001'.repeat(65_000);

export interface Made {
  readonly places: Places;
  /** What was answered by a failure of the server's own. */
  readonly faults: readonly string[];
}

export async function makeItems(url: string, token: string, { owner, repo, pack, refs }: Pushed): Promise<Made> {
  const faults: string[] = [];
  const base = `/api/v1/repos/${owner}/${repo}`;
  /** @returns the member of the answer that names what was made, or none. */
  async function make(path: string, body: object, member = 'id', method = 'POST'): Promise<string[]> {
    const { status, body: made } = await call(url, method, `${base}${path}`, token, body);
    // A request that takes longer than one may is refused with 503.
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
