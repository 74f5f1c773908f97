// Who may do what with repositories, their labels and milestones, written by hand from documents A, B and D: the
// expected answer of every route to every credential on every visibility.

export const visibilities = ['public', 'internal', 'private'] as const;
export type Visibility = (typeof visibilities)[number];

/**
 * In the order of the columns below. From `read` to `admin`: a collaborator of that role; `instance`: an instance
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

/** `+`: allowed, so that the sample succeeds; else the status of the refusal. */
type Access = Partial<Readonly<Record<Visibility, string>>>;

// Document B, "What the service does", says who reads which tier and that who may not sees 404; document D,
// "Repositories", that an anonymous caller sees 404 on an internal repository too, and which role holds which
// permission. The 401 of changes stands with each endpoint of document B.
const reading: Access = {
  //         none other read triage write maintain admin owner instance
  public: '   +   +     +    +      +     +        +     +     +',
  internal: ' 404 +     +    +      +     +        +     +     +',
  private: '  404 404   +    +      +     +        +     +     +',
};
/**
 * Document D, "Repositories": branch and tag lists, and fetching over git, answer an anonymous caller alike whether
 * there is a repository or not.
 */
const challenging: Access = {
  public: '   +   +     +    +      +     +        +     +     +',
  internal: ' 401 +     +    +      +     +        +     +     +',
  private: '  401 404   +    +      +     +        +     +     +',
};
/** What a reader does for themselves: star, watch, fork. */
const readingAsUser: Access = {
  public: '   401 +     +    +      +     +        +     +     +',
  internal: ' 401 +     +    +      +     +        +     +     +',
  private: '  401 404   +    +      +     +        +     +     +',
};
/** Permission label.create: from triage on. */
const triaging: Access = {
  public: '   401 403   403  +      +     +        +     +     +',
  internal: ' 401 403   403  +      +     +        +     +     +',
  private: '  401 404   403  +      +     +        +     +     +',
};
/** Permissions repo.write and milestone.write: from write on. */
const writing: Access = {
  public: '   401 403   403  403    +     +        +     +     +',
  internal: ' 401 403   403  403    +     +        +     +     +',
  private: '  401 404   403  403    +     +        +     +     +',
};
/** Permission branch.protect: from maintain on. */
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
/** "Owner or instance administrator only". */
const owning: Access = {
  public: '   401 403   403  403    403   403      403   +     +',
  internal: ' 401 403   403  403    403   403      403   +     +',
  private: '  401 404   403  403    403   403      403   +     +',
};
/** No repository is named, so there is one line. */
const anyone: Access = { public: '+ + + + + + + + +' };
const signedIn: Access = { public: '401 + + + + + + + +' };

/**
 * Document B, "Authentication": the OAuth2 scope of each operation; and what each token of the owner is answered, on a
 * public repository.
 */
type Scope = 'read' | 'write' | 'admin' | 'readIssues' | 'writeIssues';
export const scopes: Readonly<
  Record<Scope, { readonly oauth: string; readonly tokens: Readonly<Record<string, string>> }>
> = {
  // Document D, "Accounts, sessions, tokens": a wider scope includes the narrower one of its family, and nothing
  // outside it; a bad token is 401 even on public data.
  // Document D, "Repositories": a token without the scope gets 403 insufficient_scope on public data too.
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
 * In paths and bodies `{owner}`, `{repo}` and `{visibility}` are those of the repository at hand, `{fresh}` is new for
 * each sample, `{id}` is that of what `before` made.
 */
export interface Sample {
  /** Path parameters. */
  readonly values?: Readonly<Record<string, string>>;
  readonly body?: object;
}

export interface Row extends Sample {
  /** Method and path, under /api/v1 unless `git`. */
  readonly route: string;
  readonly access: Access;
  readonly scope: Scope;
  /** Sent by the owner first, and again after a sample that used it up. */
  readonly before?: Sample & { readonly route: string };
  /** The repository is gone afterwards, so each sample that may succeed has one of its own. */
  readonly throwaway?: true;
  /** Over git's protocol at the root, with HTTP Basic. */
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
  // Document B, "GET /repos": unauthenticated callers see public repositories.
  { route: 'GET /repos', access: anyone, scope: 'read' },
  // Document B, "POST /repos": 401. Document D, "Repositories": creating needs repo:write.
  { route: 'POST /repos', access: signedIn, scope: 'write', body: { name: 'made-{fresh}' } },
  // Document B, "GET /repos/{owner}/{repo}": 404 when missing or unreadable.
  { route: `GET ${repo}`, access: reading, scope: 'read' },
  // Document B, "PATCH /repos/{owner}/{repo}": owner or instance administrator only. Document D, "Repositories":
  // updating needs repo:admin.
  { route: `PATCH ${repo}`, access: owning, scope: 'admin', body: { description: 'walked' } },
  // Document B, "DELETE /repos/{owner}/{repo}": owner or instance administrator. Document D, "Repositories": deleting
  // needs repo:admin.
  {
    route: `DELETE ${repo}`,
    access: owning,
    scope: 'admin',
    body: { confirmation: '{owner}/{repo}' },
    throwaway: true,
  },

  // Document B, "GET /repos/{owner}/{repo}/contents/{path}", "… raw/{ref}/{path}", "… blame/{ref}/{path}": 404 when
  // unreadable.
  { route: `GET ${repo}/contents/{path}`, access: reading, scope: 'read', values: { path: 'README.md' } },
  { route: `GET ${repo}/raw/{ref}/{path}`, access: reading, scope: 'read', values: { ref: 'main', path: 'README.md' } },
  {
    route: `GET ${repo}/blame/{ref}/{path}`,
    access: reading,
    scope: 'read',
    values: { ref: 'main', path: 'README.md' },
  },
  // Document D, "Repositories": writing through the API. Document B, "Authentication": write repositories.
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
  // Document D, "Repositories": commits, one commit, compare, archives, languages. Document B, "Authentication": read
  // repositories.
  { route: `GET ${repo}/commits`, access: reading, scope: 'read' },
  { route: `GET ${repo}/commits/{ref}`, access: reading, scope: 'read', values: { ref: 'main' } },
  { route: `GET ${repo}/compare/{rest}`, access: reading, scope: 'read', values: { rest: 'main...main' } },
  { route: `GET ${repo}/archive/{rest}`, access: reading, scope: 'read', values: { rest: 'main.tar.gz' } },
  { route: `GET ${repo}/languages`, access: reading, scope: 'read' },

  // Document B, "GET branches": 401 for anonymous on a private repository, internal requires authentication; and
  // document D, "Repositories".
  { route: `GET ${repo}/branches`, access: challenging, scope: 'read' },
  // Document B, "POST branches", "DELETE branches/{branch}": write access; 401, 403, 404.
  { route: `POST ${repo}/branches`, access: writing, scope: 'write', body: { name: 'made-{fresh}' } },
  {
    route: `DELETE ${repo}/branches/{branch}`,
    access: writing,
    scope: 'write',
    values: { branch: 'doomed-{fresh}' },
    before: { route: `POST ${repo}/branches`, body: { name: 'doomed-{fresh}' } },
  },
  // Document D, "Branch protection": permission branch.protect; "Repositories": protection needs repo:admin. That
  // reading it is 401 without a credential is of docs/api/decisions.md, "Branch protection".
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
  // Document B, "GET tags": same visibility rules as branches. "POST tags", "DELETE tags/{tag}": write access; 401,
  // 403, 404.
  { route: `GET ${repo}/tags`, access: challenging, scope: 'read' },
  { route: `POST ${repo}/tags`, access: writing, scope: 'write', body: { name: 'made-{fresh}' } },
  {
    route: `DELETE ${repo}/tags/{tag}`,
    access: writing,
    scope: 'write',
    values: { tag: 'doomed-{fresh}' },
    before: { route: `POST ${repo}/tags`, body: { name: 'doomed-{fresh}' } },
  },

  // Document B, "GET collaborators": read access, 404 to a non-member of a private repository; "GET
  // collaborators/{user}/permissions": 404 when unreadable.
  { route: `GET ${repo}/collaborators`, access: reading, scope: 'read' },
  {
    route: `GET ${repo}/collaborators/{user}/permissions`,
    access: reading,
    scope: 'read',
    values: { user: 'the-read' },
  },
  // Document B, "PUT collaborators/{user}": owner, instance administrator, a collaborator with role admin. Document D,
  // "Repositories": collaborators need repo:admin.
  {
    route: `PUT ${repo}/collaborators/{user}`,
    access: administering,
    scope: 'admin',
    values: { user: 'guest' },
    body: { role: 'read' },
  },
  // Document B, "DELETE collaborators/{user}": owner or instance administrator.
  {
    route: `DELETE ${repo}/collaborators/{user}`,
    access: owning,
    scope: 'admin',
    values: { user: 'guest' },
    before: { route: `PUT ${repo}/collaborators/{user}`, values: { user: 'guest' }, body: { role: 'read' } },
  },
  // Document D, "Role templates". Document B, "Authentication": administer repository. Who reads them is of
  // docs/api/decisions.md, "Repositories".
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

  // Document B, "Authentication": labels under the issue scopes, milestones under those of repositories. "Labels": 403
  // without the permission label.create; "Milestones": 403, needs repository-write permission. Document D,
  // "Repositories": label.create from triage on, milestone.write from write on.
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

  // Document D, "Stars and watching". The GET and the scope are of docs/api/decisions.md, "Repositories". The rows are
  // in this order, for GET is 404 without a star.
  { route: 'PUT /user/starred/{owner}/{repo}', access: readingAsUser, scope: 'read' },
  { route: 'GET /user/starred/{owner}/{repo}', access: readingAsUser, scope: 'read' },
  { route: 'DELETE /user/starred/{owner}/{repo}', access: readingAsUser, scope: 'read' },
  { route: `PUT ${repo}/subscription`, access: readingAsUser, scope: 'read' },
  { route: `DELETE ${repo}/subscription`, access: readingAsUser, scope: 'read' },
  // Document D, "Forks"; "Repositories": creating a repository needs repo:write.
  { route: `GET ${repo}/forks`, access: reading, scope: 'read' },
  { route: `POST ${repo}/forks`, access: readingAsUser, scope: 'write', body: { name: 'fork-{fresh}' } },

  // Document D, "Git over HTTP": 401 for anonymous, 404 for a caller who may not read, 403 for one who may read but not
  // push.
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
  // A push of nothing.
  {
    route: 'POST /{owner}/{repo}.git/git-receive-pack',
    access: writing,
    scope: 'write',
    git: { raw: '0000', headers: { 'content-type': 'application/x-git-receive-pack-request' } },
  },
];
