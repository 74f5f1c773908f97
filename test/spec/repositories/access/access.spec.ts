// Access walk of every route of repositories, labels, milestones and git over HTTP: every credential, every visibility
// and every kind of token, compared with the hand-written table.
import t from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import type { TestForge } from '#test/support/forge';
import { toWalk } from '#test/support/marks';
import { ContractBroken } from '#test/support/clients/openapi';
import { sharedForge } from '#test/support/shared-forge';
import {
  credentials,
  scopes,
  table,
  visibilities,
  type Credential,
  type Row,
  type Sample,
  type Visibility,
} from './access-table.ts';

/** The cells of one route: request → outcome. */
type Cells = ReadonlyMap<string, string>;
/** Route → its cells. A served route that is missing from the table has no cells. */
type Observed = ReadonlyMap<string, Cells>;

const words = (line: string): string[] => line.trim().split(/\s+/);

const cellsOf = new Map<Row, Cells>();

/** The expected cells of a row, with the names and outcomes that the walk uses. */
function expected(row: Row): Cells {
  const cells = cellsOf.get(row) ?? readCells(row);
  cellsOf.set(row, cells);
  return cells;
}

function readCells({ access, scope, git }: Row): Cells {
  const { oauth, tokens } = scopes[scope];
  return new Map([
    ...visibilities.flatMap((visibility) =>
      access[visibility] === undefined
        ? []
        : words(access[visibility]).map((answer, column): [string, string] => [
            `${visibility}, ${credentials[column] ?? 'a column too many'}`,
            answer,
          ]),
    ),
    ...Object.entries(tokens).map(([token, answer]): [string, string] => [`token ${token}`, answer]),
    // The routes of git are not in the OpenAPI document.
    ...(git === undefined ? [['OAuth2 scope', oauth] as [string, string]] : []),
  ]);
}

/** One sentence for each difference. */
function compare(rows: readonly Row[], observed: Observed): string[] {
  const routes = rows.map(({ route }) => route);
  return [
    ...routes.filter((route, index) => routes.indexOf(route) !== index).map((route) => `${route}: twice in the table`),
    ...[...observed.keys()]
      .filter((route) => !routes.includes(route))
      .map((route) => `${route}: served, and not in the table`),
    ...rows.flatMap((row) => {
      const cells = observed.get(row.route);
      if (cells === undefined) return [`${row.route}: in the table, and not served`];
      const wanted = expected(row);
      return [...new Set([...wanted.keys(), ...cells.keys()])]
        .filter((cell) => wanted.get(cell) !== cells.get(cell))
        .map(
          (cell) =>
            `${row.route}: ${cell}: expected ${wanted.get(cell) ?? 'nothing'}, got ${cells.get(cell) ?? 'nothing'}`,
        );
    }),
  ];
}

void t.test('a planted change is found and named', async (t) => {
  const asWritten = (): Map<string, Map<string, string>> =>
    new Map(table.map((row) => [row.route, new Map(expected(row))]));
  const planted = (route: string, cell: string, answer: string): string[] => {
    const observed = asWritten();
    observed.get(route)?.set(cell, answer);
    return compare(table, observed);
  };
  t.same(compare(table, asWritten()), []);
  t.same(
    planted('PATCH /repos/{owner}/{repo}', 'internal, admin', '+'),
    ['PATCH /repos/{owner}/{repo}: internal, admin: expected 403, got +'],
    'access',
  );
  t.same(
    planted('POST /repos/{owner}/{repo}/tags', 'token repo:read', '+'),
    ['POST /repos/{owner}/{repo}/tags: token repo:read: expected insufficient_scope, got +'],
    'a scope of personal access tokens',
  );
  t.same(
    planted('GET /repos', 'OAuth2 scope', 'read:user'),
    ['GET /repos: OAuth2 scope: expected read:repo, got read:user'],
    'a scope of OAuth2',
  );
  const passedOver = table.flatMap((row) =>
    [...expected(row)]
      .filter(([cell, answer]) => planted(row.route, cell, answer === '+' ? '404' : '+').length !== 1)
      .map(([cell]) => `${row.route}: ${cell}`),
  );
  t.same(passedOver, [], 'changing any single answer of any route is found');

  const fewer = asWritten();
  fewer.delete('GET /repos');
  t.same(compare(table, fewer), ['GET /repos: in the table, and not served']);
  t.same(compare(table, asWritten().set('GET /new', new Map())), ['GET /new: served, and not in the table']);
  t.same(
    table.flatMap(({ access }) => Object.values(access)).filter((line) => words(line).length !== credentials.length),
    [],
    'a row has an answer for each credential',
  );
});

interface Caller {
  readonly rest: Client;
  readonly git: Client;
}
interface Stage {
  readonly forge: TestForge;
  readonly owner: string;
  readonly callers: Readonly<Record<Credential, Caller>>;
  readonly tokens: ReadonlyMap<string, Caller>;
}

const basic = (forge: TestForge, username: string, secret: string): Client =>
  forge.anonymous.with({ authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}` });

/** A user for each credential, and the owner's tokens. */
async function people(forge: TestForge): Promise<Stage> {
  const user = async (credential: string): Promise<Caller> => {
    const { username, password, client } = await forge.createUser(`the-${credential}`);
    return { rest: client, git: basic(forge, username, password) };
  };
  await forge.createUser('guest');
  const callers = {
    none: { rest: forge.anonymous, git: forge.anonymous },
    instance: { rest: await forge.administrator(), git: basic(forge, forge.admin.username, forge.admin.password) },
    other: await user('other'),
    read: await user('read'),
    triage: await user('triage'),
    write: await user('write'),
    maintain: await user('maintain'),
    admin: await user('admin'),
    owner: await user('owner'),
  };
  const bad = `svc_${'x'.repeat(36)}`;
  const tokens = new Map([['bad', bad]]);
  for (const scope of new Set(Object.values(scopes).flatMap((one) => Object.keys(one.tokens))))
    if (scope !== 'bad') tokens.set(scope, (await forge.pat(callers.owner.rest, [scope])).token);
  return {
    forge,
    owner: 'the-owner',
    callers,
    tokens: new Map(
      [...tokens].map(([scope, token]) => [scope, { rest: forge.as(token), git: basic(forge, 'the-owner', token) }]),
    ),
  };
}

/** The outcome of a request, as the table writes it. */
function outcome({ status, body }: Answer): string {
  if (status === 403 && (body as { readonly error_code?: string } | undefined)?.error_code === 'insufficient_scope')
    return 'insufficient_scope';
  return status >= 200 && status < 400 ? '+' : String(status);
}

/**
 * The message for a status that the OpenAPI document does not list, so that it is reported with the other differences.
 */
function unlisted(error: unknown): string {
  if (error instanceof ContractBroken) return error.message;
  throw error;
}

let made = 0;
type Values = Readonly<Record<string, string>>;
const fill = (text: string, values: Values): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    values[name] === undefined ? whole : fill(values[name], values),
  );

async function send(
  client: Client,
  route: string,
  { values = {}, body }: Sample,
  known: Values,
  git?: Row['git'],
): Promise<Answer> {
  const [method = '', path = ''] = fill(route, { ...known, ...values }).split(' ');
  if (git !== undefined) return client.request(method, path, { ...git });
  return client.request(
    method,
    `/api/v1${path}`,
    body === undefined
      ? {}
      : {
          body: JSON.parse(
            JSON.stringify(body, (_, value: unknown) => (typeof value === 'string' ? fill(value, known) : value)),
          ) as unknown,
        },
  );
}

/** Sends a request that must succeed, because a sample (the request of a row) needs it. @throws {Error} otherwise. */
async function sure(client: Client, route: string, sample: Sample, known: Values): Promise<Answer> {
  const answer = await send(client, route, sample, known);
  if (outcome(answer) !== '+')
    throw new Error(`${fill(route, known)} before a sample answered ${answer.status}: ${answer.text}`);
  return answer;
}

/** A repository with a commit and a collaborator of each role. */
async function repository({ callers, owner }: Stage, visibility: Visibility, name: string): Promise<Values> {
  const known = { owner, repo: name, visibility };
  await sure(callers.owner.rest, 'POST /repos', { body: { name, visibility } }, known);
  for (const role of ['read', 'triage', 'write', 'maintain', 'admin'])
    await sure(
      callers.owner.rest,
      'PUT /repos/{owner}/{repo}/collaborators/{user}',
      { values: { user: `the-${role}` }, body: { role } },
      known,
    );
  await sure(
    callers.owner.rest,
    'PUT /repos/{owner}/{repo}/contents/{path}',
    { values: { path: 'README.md' }, body: { message: 'Begin', content: 'IyBPbmUK' } },
    known,
  );
  return known;
}

/** Sends one request for each of `asked`, in order, in a repository that no other walk writes to. */
async function walk(
  stage: Stage,
  visibility: Visibility,
  name: string,
  asked: (row: Row) => readonly (readonly [cell: string, caller: Caller])[],
  note: (row: Row, cell: string, answer: string) => void,
): Promise<void> {
  const home = await repository(stage, visibility, name);
  const owner = stage.callers.owner.rest;
  const prepare = async ({ before, throwaway }: Row): Promise<Values> => {
    const fresh = `${++made}`;
    const known = { ...(throwaway === true ? await repository(stage, visibility, `throwaway-${fresh}`) : home), fresh };
    if (before === undefined) return known;
    const { id } =
      ((await sure(owner, before.route, before, known)).body as { readonly id?: string } | undefined) ?? {};
    return id === undefined ? known : { ...known, id };
  };
  for (const row of table) {
    let known: Values | undefined;
    for (const [cell, caller] of asked(row)) {
      known ??= await prepare(row);
      const answer = await send(row.git === undefined ? caller.rest : caller.git, row.route, row, known, row.git).then(
        outcome,
        unlisted,
      );
      note(row, cell, answer);
      // The sample consumed what `before` made, so it is made again for the next sample.
      if (answer === '+') known = undefined;
    }
  }
}

void t.test('every route answers every credential and token as in the access table', async (t) => {
  const forge = await sharedForge(t);
  const stage = await people(forge);
  const served = new Map(
    forge.contract.operations
      .filter(({ tag }) => ['repositories', 'git-http', 'planning'].includes(tag))
      .map(({ method, path, entry }) => [`${method} ${path.replace(/^\/api\/v1/, '')}`, entry]),
  );
  const there = table.filter(({ route, git }) => git !== undefined || served.has(route));
  const walked = new Set(
    toWalk(there, ({ route, access, scope, git }) => [
      access,
      scope,
      served.get(route)?.['x-access'],
      served.get(route)?.['x-scope'],
      git,
    ]),
  );
  const observed = new Map<string, Map<string, string>>([
    ...[...served].map(([route, entry]): [string, Map<string, string>] => [
      route,
      new Map([['OAuth2 scope', (entry['x-scope'] as { readonly oauth?: string } | undefined)?.oauth ?? 'none']]),
    ]),
    ...there
      .filter(({ git }) => git !== undefined)
      .map(({ route }): [string, Map<string, string>] => [route, new Map()]),
  ]);
  const note = (row: Row, cell: string, answer: string): void => {
    observed.get(row.route)?.set(cell, answer);
  };
  // Without the whole run only one route per access rule is requested. The others are taken to answer as expected.
  for (const row of there)
    if (!walked.has(row))
      for (const [cell, answer] of expected(row)) if (cell !== 'OAuth2 scope') note(row, cell, answer);

  await Promise.all([
    ...visibilities.map((visibility) =>
      walk(
        stage,
        visibility,
        visibility,
        (row) =>
          walked.has(row) && row.access[visibility] !== undefined
            ? credentials.map((credential) => [`${visibility}, ${credential}`, stage.callers[credential]] as const)
            : [],
        note,
      ),
    ),
    walk(
      stage,
      'public',
      'tokens',
      (row) =>
        walked.has(row)
          ? [...stage.tokens]
              .filter(([scope]) => scope in scopes[row.scope].tokens)
              .map(([scope, caller]) => [`token ${scope}`, caller] as const)
          : [],
      note,
    ),
  ]);
  t.same(compare(table, observed), []);
});
