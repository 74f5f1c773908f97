// The hand-written table of who may do what with repositories, their labels and milestones: the expected answer of
// every route to every credential on every visibility.

export const visibilities = ['public', 'internal', 'private'] as const;
export type Visibility = (typeof visibilities)[number];

/**
 * In the order of the columns below. `read` to `admin` are collaborators with that role; `instance` is an instance
 * administrator.
 */
export const credentials = [
  'none',
  'other',
  'read',
  'triage',
  'write',
  'maintain',
  'admin',
  'owner',
  'instance',
] as const;
export type Credential = (typeof credentials)[number];

/** `+`: allowed, so that the sample (the request of the row) succeeds; otherwise the status of the refusal. */
type Access = Partial<Readonly<Record<Visibility, string>>>;

// A caller who may not read gets 404, and so does an anonymous caller on an internal repository. A change without a
// credential is 401.
const reading: Access = {
  //         none other read triage write maintain admin owner instance
  public: '   +   +     +    +      +     +        +     +     +',
  internal: ' 404 +     +    +      +     +        +     +     +',
  private: '  404 404   +    +      +     +        +     +     +',
};
/** Branch and tag lists and fetches over git are 401 for an anonymous caller whether or not the repository exists. */
const challenging: Access = {
  public: '   +   +     +    +      +     +        +     +     +',
  internal: ' 401 +     +    +      +     +        +     +     +',
  private: '  401 404   +    +      +     +        +     +     +',
};
/** Actions of readers for themselves: star, watch, fork. */
const readingAsUser: Access = {
  public: '   401 +     +    +      +     +        +     +     +',
  internal: ' 401 +     +    +      +     +        +     +     +',
  private: '  401 404   +    +      +     +        +     +     +',
};
/** Permission label.create: triage and higher roles. */
const triaging: Access = {
  public: '   401 403   403  +      +     +        +     +     +',
  internal: ' 401 403   403  +      +     +        +     +     +',
  private: '  401 404   403  +      +     +        +     +     +',
};
/** Permissions repo.write and milestone.write: write and higher roles. */
const writing: Access = {
  public: '   401 403   403  403    +     +        +     +     +',
  internal: ' 401 403   403  403    +     +        +     +     +',
  private: '  401 404   403  403    +     +        +     +     +',
};
/** Permission branch.protect: maintain and admin. */
const protecting: Access = {
  public: '   401 403   403  403    403   +        +     +     +',
  internal: ' 401 403   403  403    403   +        +     +     +',
  private: '  401 404   403  403    403   +        +     +     +',
};
/** Permission repo.admin: the role admin. */
const administering: Access = {
  public: '   401 403   403  403    403   403      +     +     +',
  internal: ' 401 403   403  403    403   403      +     +     +',
  private: '  401 404   403  403    403   403      +     +     +',
};
/** The owner or an instance administrator only. */
const owning: Access = {
  public: '   401 403   403  403    403   403      403   +     +',
  internal: ' 401 403   403  403    403   403      403   +     +',
  private: '  401 404   403  403    403   403      403   +     +',
};
/** No repository is named, so there is one row. */
const anyone: Access = { public: '+ + + + + + + + +' };
const signedIn: Access = { public: '401 + + + + + + + +' };

/** The OAuth2 scope of each operation, and the expected answers to tokens of the owner on a public repository. */
type Scope = 'read' | 'write' | 'admin' | 'readIssues' | 'writeIssues';
export const scopes: Readonly<
  Record<Scope, { readonly oauth: string; readonly tokens: Readonly<Record<string, string>> }>
> = {
  // A wider scope includes the narrower one of its family and nothing else. A bad token is 401 and a token without the
  // scope is 403 insufficient_scope, also on public data.
  read: {
    oauth: 'read:repo',
    tokens: { 'repo:write': '+', 'repo:read': '+', 'issue:write': 'insufficient_scope', bad: '401' },
  },
  write: {
    oauth: 'write:repo',
    tokens: {
      'repo:admin': '+',
      'repo:write': '+',
      'repo:read': 'insufficient_scope',
      'issue:write': 'insufficient_scope',
      bad: '401',
    },
  },
  admin: {
    oauth: 'admin:repo',
    tokens: { 'repo:admin': '+', 'repo:write': 'insufficient_scope', 'issue:write': 'insufficient_scope', bad: '401' },
  },
  readIssues: {
    oauth: 'read:issue',
    tokens: { 'issue:write': '+', 'issue:read': '+', 'repo:admin': 'insufficient_scope', bad: '401' },
  },
  writeIssues: {
    oauth: 'write:issue',
    tokens: { 'issue:write': '+', 'issue:read': 'insufficient_scope', 'repo:admin': 'insufficient_scope', bad: '401' },
  },
};

/**
 * In paths and bodies `{owner}`, `{repo}` and `{visibility}` are those of the current repository, `{fresh}` is new for
 * each sample, and `{id}` is the id of the thing that `before` made.
 */
export interface Sample {
  /** Path parameters. */
  readonly values?: Readonly<Record<string, string>>;
  readonly body?: object;
}

export interface Row extends Sample {
  /** Method and path, under /api/v1 unless `git` is set. */
  readonly route: string;
  readonly access: Access;
  readonly scope: Scope;
  /** A request of the owner that makes what the sample needs. It is repeated after each sample that succeeded. */
  readonly before?: Sample & { readonly route: string };
  /** The sample deletes the repository, so each sample that may succeed has its own. */
  readonly throwaway?: true;
  /** A request of git's protocol at the root, with HTTP Basic. */
  readonly git?: { readonly raw?: string; readonly headers?: Readonly<Record<string, string>> };
}

const repo = '/repos/{owner}/{repo}';
/** The git blob id of `x` and a line feed. */
const blob = '587be6b4c3f93f93c489c0111bba5596147a26cb';
const content = 'eAo=';
const template = { name: 'made-{fresh}', permissions: ['repo.read'] };
const label = { name: 'made-{fresh}', color: 'd73a4a' };
const makesLabel = { route: `POST ${repo}/labels`, body: label };
const makesMilestone = { route: `POST ${repo}/milestones`, body: { title: 'made-{fresh}' } };

export const table: readonly Row[] = [
  // Unauthenticated callers see public repositories.
  { route: 'GET /repos', access: anyone, scope: 'read' },
  // 401 without a credential; creating needs repo:write.
  { route: 'POST /repos', access: signedIn, scope: 'write', body: { name: 'made-{fresh}' } },
  // 404 if the repository is missing or unreadable.
  { route: `GET ${repo}`, access: reading, scope: 'read' },
  // Only the owner or an instance administrator; updating needs repo:admin.
  { route: `PATCH ${repo}`, access: owning, scope: 'admin', body: { description: 'walked' } },
  // Only the owner or an instance administrator; deleting needs repo:admin.
  {
    route: `DELETE ${repo}`,
    access: owning,
    scope: 'admin',
    body: { confirmation: '{owner}/{repo}' },
    throwaway: true,
  },

  // Contents, raw files and blame are 404 if the repository is unreadable.
  { route: `GET ${repo}/contents/{path}`, access: reading, scope: 'read', values: { path: 'README.md' } },
  { route: `GET ${repo}/raw/{ref}/{path}`, access: reading, scope: 'read', values: { ref: 'main', path: 'README.md' } },
  {
    route: `GET ${repo}/blame/{ref}/{path}`,
    access: reading,
    scope: 'read',
    values: { ref: 'main', path: 'README.md' },
  },
  // Writing files needs repo.write and the scope for writing repositories.
  {
    route: `PUT ${repo}/contents/{path}`,
    access: writing,
    scope: 'write',
    values: { path: 'made-{fresh}.txt' },
    body: { message: 'Make', content },
  },
  {
    route: `DELETE ${repo}/contents/{path}`,
    access: writing,
    scope: 'write',
    values: { path: 'doomed-{fresh}.txt' },
    body: { message: 'Remove', sha: blob },
    before: {
      route: `PUT ${repo}/contents/{path}`,
      values: { path: 'doomed-{fresh}.txt' },
      body: { message: 'Make', content },
    },
  },
  // Commits, comparisons, archives and languages need the scope for reading repositories.
  { route: `GET ${repo}/commits`, access: reading, scope: 'read' },
  { route: `GET ${repo}/commits/{ref}`, access: reading, scope: 'read', values: { ref: 'main' } },
  { route: `GET ${repo}/compare/{rest}`, access: reading, scope: 'read', values: { rest: 'main...main' } },
  { route: `GET ${repo}/archive/{rest}`, access: reading, scope: 'read', values: { rest: 'main.tar.gz' } },
  { route: `GET ${repo}/languages`, access: reading, scope: 'read' },

  // branchList is 401 for anonymous callers unless the repository is public.
  { route: `GET ${repo}/branches`, access: challenging, scope: 'read' },
  // Creating and deleting branches needs write access; 401, 403, 404.
  { route: `POST ${repo}/branches`, access: writing, scope: 'write', body: { name: 'made-{fresh}' } },
  {
    route: `DELETE ${repo}/branches/{branch}`,
    access: writing,
    scope: 'write',
    values: { branch: 'doomed-{fresh}' },
    before: { route: `POST ${repo}/branches`, body: { name: 'doomed-{fresh}' } },
  },
  // Branch protection needs branch.protect and the scope repo:admin. Reading it is 401 without a credential
  // (docs/api/decisions.md, "Branch protection").
  {
    route: `PUT ${repo}/branches/{branch}/protection`,
    access: protecting,
    scope: 'admin',
    values: { branch: 'kept' },
    body: {},
  },
  { route: `GET ${repo}/branches/{branch}/protection`, access: protecting, scope: 'admin', values: { branch: 'kept' } },
  {
    route: `DELETE ${repo}/branches/{branch}/protection`,
    access: protecting,
    scope: 'admin',
    values: { branch: 'free-{fresh}' },
    before: { route: `PUT ${repo}/branches/{branch}/protection`, values: { branch: 'free-{fresh}' }, body: {} },
  },
  // tagList has the visibility rules of branchList. Creating and deleting tags needs write access; 401, 403, 404.
  { route: `GET ${repo}/tags`, access: challenging, scope: 'read' },
  { route: `POST ${repo}/tags`, access: writing, scope: 'write', body: { name: 'made-{fresh}' } },
  {
    route: `DELETE ${repo}/tags/{tag}`,
    access: writing,
    scope: 'write',
    values: { tag: 'doomed-{fresh}' },
    before: { route: `POST ${repo}/tags`, body: { name: 'doomed-{fresh}' } },
  },

  // The list of collaborators needs read access; 404 for a non-member of a private repository.
  { route: `GET ${repo}/collaborators`, access: reading, scope: 'read' },
  {
    route: `GET ${repo}/collaborators/{user}/permissions`,
    access: reading,
    scope: 'read',
    values: { user: 'the-read' },
  },
  // collaboratorPut: the owner, an instance administrator or a collaborator with the role admin; needs repo:admin.
  {
    route: `PUT ${repo}/collaborators/{user}`,
    access: administering,
    scope: 'admin',
    values: { user: 'guest' },
    body: { role: 'read' },
  },
  // collaboratorRemove: the owner or an instance administrator.
  {
    route: `DELETE ${repo}/collaborators/{user}`,
    access: owning,
    scope: 'admin',
    values: { user: 'guest' },
    before: { route: `PUT ${repo}/collaborators/{user}`, values: { user: 'guest' }, body: { role: 'read' } },
  },
  // Role templates need the scope for administering repositories. docs/api/decisions.md, "Repositories", has who may
  // read them.
  { route: `GET ${repo}/role-templates`, access: administering, scope: 'admin' },
  { route: `POST ${repo}/role-templates`, access: administering, scope: 'admin', body: template },
  {
    route: `PATCH ${repo}/role-templates/{id}`,
    access: administering,
    scope: 'admin',
    body: { name: 'changed-{fresh}' },
    before: { route: `POST ${repo}/role-templates`, body: template },
  },
  {
    route: `DELETE ${repo}/role-templates/{id}`,
    access: administering,
    scope: 'admin',
    before: { route: `POST ${repo}/role-templates`, body: template },
  },

  // No standard plugin declares a setting of repositories, so the batch is empty.
  { route: `GET ${repo}/settings`, access: administering, scope: 'admin' },
  { route: `POST ${repo}/settings`, access: administering, scope: 'admin', body: { settings: [] } },

  // Labels need the scopes of issues, milestones those of repositories. Writing labels needs label.create (triage and
  // higher), writing milestones milestone.write (write and higher); otherwise 403.
  { route: `GET ${repo}/labels`, access: reading, scope: 'readIssues' },
  { ...makesLabel, access: triaging, scope: 'writeIssues' },
  { route: `GET ${repo}/labels/{id}`, access: reading, scope: 'readIssues', before: makesLabel },
  {
    route: `PATCH ${repo}/labels/{id}`,
    access: triaging,
    scope: 'writeIssues',
    body: { color: '00ff00' },
    before: makesLabel,
  },
  { route: `DELETE ${repo}/labels/{id}`, access: triaging, scope: 'writeIssues', before: makesLabel },
  { route: `GET ${repo}/milestones`, access: reading, scope: 'read' },
  { ...makesMilestone, access: writing, scope: 'write' },
  { route: `GET ${repo}/milestones/{id}`, access: reading, scope: 'read', before: makesMilestone },
  {
    route: `PATCH ${repo}/milestones/{id}`,
    access: writing,
    scope: 'write',
    body: { state: 'closed' },
    before: makesMilestone,
  },
  { route: `DELETE ${repo}/milestones/{id}`, access: writing, scope: 'write', before: makesMilestone },

  // The scopes follow docs/api/decisions.md, "Repositories". PUT precedes GET, because GET is 404 without a star.
  { route: 'PUT /user/starred/{owner}/{repo}', access: readingAsUser, scope: 'read' },
  { route: 'GET /user/starred/{owner}/{repo}', access: readingAsUser, scope: 'read' },
  { route: 'DELETE /user/starred/{owner}/{repo}', access: readingAsUser, scope: 'read' },
  { route: `PUT ${repo}/subscription`, access: readingAsUser, scope: 'read' },
  { route: `DELETE ${repo}/subscription`, access: readingAsUser, scope: 'read' },
  // forkCreate creates a repository, which needs repo:write.
  { route: `GET ${repo}/forks`, access: reading, scope: 'read' },
  { route: `POST ${repo}/forks`, access: readingAsUser, scope: 'write', body: { name: 'fork-{fresh}' } },

  // Git over HTTP: 401 for anonymous callers, 404 for a caller who may not read, 403 for one who may read but not push.
  { route: 'GET /{owner}/{repo}.git/info/refs?service=git-upload-pack', access: challenging, scope: 'read', git: {} },
  { route: 'GET /{owner}/{repo}.git/info/refs?service=git-receive-pack', access: writing, scope: 'write', git: {} },
  {
    route: 'POST /{owner}/{repo}.git/git-upload-pack',
    access: challenging,
    scope: 'read',
    git: {
      raw: '0014command=ls-refs\n0000',
      headers: { 'content-type': 'application/x-git-upload-pack-request', 'git-protocol': 'version=2' },
    },
  },
  // An empty push.
  {
    route: 'POST /{owner}/{repo}.git/git-receive-pack',
    access: writing,
    scope: 'write',
    git: { raw: '0000', headers: { 'content-type': 'application/x-git-receive-pack-request' } },
  },
];
