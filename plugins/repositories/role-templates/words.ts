// Permissions in words.

const words: Readonly<Record<string, string>> = {
  'repo.read': 'See and clone the repository',
  'repo.write': 'Push and change files',
  'repo.admin': 'Change settings and access',
  'branch.protect': 'Protect branches',
  'issue.read': 'See issues',
  'issue.write': 'Create and change issues',
  'label.create': 'Create labels',
  'milestone.write': 'Create and change milestones',
  'merge.open': 'Open merge requests',
  'merge.update': 'Change and review merge requests',
  'merge.merge': 'Merge',
  'ci.read': 'See pipelines',
  'ci.write': 'Run pipelines',
  'environment:read': 'See environments',
  'deployment:trigger': 'Deploy',
  'deployment:approve': 'Approve deployments',
};

/** A permission in words; its name if another plugin contributes it. */
export const permissionWords = (name: string): string => words[name] ?? name;
