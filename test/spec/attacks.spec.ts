// Attacks that other forges fell to, in the private and the git part of a list of them, numbered as there; each proves what no other suite does.
//
// Not yet, for there is nothing to attack: 28 and 29 (issues, merge requests), 31 (LFS); of 24 artifacts, attestations and MCP; of 25 labels, comments,
// milestones and pipelines; of 26 search; of 27 notifications, feeds, e-mails, WebSocket and SSE; of 40 the source branch of a merge request.
// Elsewhere: 33, test/adapters/git-native/adapter.spec.ts ("no variable and no configuration of the machine reaches git"), for no client can see it; 39,
// test/contracts/git/hang-ups.ts, and the hooks have pipes and no endpoint; of 37 ref updates without end, test/contracts/git/pushes.ts.
import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import t from 'tap';
import type { Answer, Client } from '#test/support/client';
import { startTestForge, type TestForge, type TestUser } from '#test/support/forge';
import { remote, stockGit, workTree, type StockGit } from '#test/support/stock-git';

const repos = '/api/v1/repos';
type Teardown = { teardown(work: () => void | Promise<void>): unknown };
interface World { readonly forge: TestForge; readonly alice: TestUser; readonly bob: TestUser; readonly work: StockGit; readonly tip: string; push(repository: string, ...refs: readonly string[]): Promise<void> }

const must = (answer: Answer, ...statuses: readonly number[]): Answer => {
  if (!statuses.includes(answer.status)) throw new Error(`answered ${answer.status}: ${answer.text}`);
  return answer;
};
const make = (user: TestUser, name: string, visibility = 'private') => user.client.post(repos, { body: { name, visibility } }).then((answer) => must(answer, 201));
const give = (user: TestUser, repository: string, username: string, role: string) => user.client.put(`${repos}/${user.username}/${repository}/collaborators/${username}`, { body: { role } }).then((answer) => must(answer, 204));

/** alice and bob, and a work tree with one commit on main. */
async function world(t: Teardown): Promise<World> {
  const forge = await startTestForge(t);
  const [alice, bob] = [await forge.createUser('alice'), await forge.createUser('bob')];
  const work = await workTree(await stockGit(t), 'work');
  const tip = await work.commit('One', { 'README.md': '# One\n', 'src/a.txt': 'a\n' });
  return {
    forge, alice, bob, work, tip,
    async push(repository, ...refs) {
      await work.git('push', '--quiet', remote(forge.url, repository, repository.startsWith('alice/') ? alice : bob), ...refs);
    },
  };
}

/** Sends the path as it is: `fetch` would resolve its dots. */
const bare = (forge: TestForge, path: string): Promise<{ status: number; text: string }> => new Promise((resolve, reject) => {
  const { hostname, port } = new URL(forge.url);
  request({ hostname, port, path, agent: false }, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (chunk: string) => { text += chunk; }).on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
  }).on('error', reject).end();
});

/** What the reading routes of a repository are at one commit or branch. */
const reading = (at: string): readonly string[] => [`/commits?ref=${at}`, `/commits/${at}`, `/contents/README.md?ref=${at}`, `/contents?ref=${at}`, `/raw/${at}/README.md`, `/blame/${at}/README.md`, `/archive/${at}.zip`, `/archive/${at}.tar.gz`, `/compare/main...${at}`, `/compare/${at}...main`];

// That each route is 404 to who may not read, by role and credential, is of access.spec.ts.
void t.test('24: a private repository answers as a missing one does on every route, to the letter, whatever is sent', async (t) => {
  const { forge, alice, bob, push } = await world(t);
  await make(alice, 'secret');
  await push('alice/secret', 'main', 'main:refs/heads/side');
  const owned = forge.contract.operations.filter(({ path }) => path.includes('{repo}'));
  t.ok(owned.length >= 35, `routes: ${owned.length}`);
  const callers: readonly (readonly [string, Client])[] = [['a user', bob.client], ['a token', await forge.pat(bob.client, ['repo:admin'])], ['a narrow token', await forge.pat(bob.client, ['repo:read'])], ['anonymous', forge.anonymous]];
  for (const { method, path, id, hasJsonBody } of owned) {
    const at = (repo: string): string => path.replace('{owner}', 'alice').replace('{repo}', repo).replaceAll(/\{(\w+)\}/g, (_, name: string) => ({ ref: 'main', branch: 'side', path: 'README.md', user: 'alice', rest: id.toLowerCase().includes('archive') ? 'main.zip' : 'main...side' })[name] ?? 'main');
    for (const [who, client] of callers) {
      for (const headers of [{}, { 'if-none-match': '*' }] as const) {
        const [hidden, missing] = [await client.request(method, at('secret'), { headers, ...hasJsonBody && { body: {} } }), await client.request(method, at('absent'), { headers, ...hasJsonBody && { body: {} } })];
        t.ok([401, 403, 404].includes(hidden.status), `${who}: ${id}: ${hidden.status}`);
        if (who === 'a user') t.equal(hidden.status, 404, id);
        const told = ({ status, text, headers: sent }: Answer) => [status, text.replaceAll(/secret|absent/g, 'x'), [...sent.keys()].sort(), sent.get('etag')];
        t.same(told(hidden), told(missing), `${who}: ${id}`);
      }
    }
  }
  t.same((await alice.client.get(`${repos}/alice/secret/branches`)).status, 200, 'it is there all the while');
});

void t.test('24: no redirect after a rename and no 304 by a guessed ETag tell of it', async (t) => {
  const { alice, bob, push } = await world(t);
  await make(alice, 'plan');
  await push('alice/plan', 'main');
  const etags = await Promise.all(['', '/contents/README.md', '/raw/main/README.md', '/branches', '/tags', '/commits', '/commits/main', '/compare/main...main', '/blame/main/README.md', '/languages'].map(async (path) => [path, must(await alice.client.get(`${repos}/alice/plan${path}`), 200).headers.get('etag') ?? ''] as const));
  for (const [path, etag] of etags) {
    t.not(etag, '', path);
    t.equal((await alice.client.get(`${repos}/alice/plan${path}`, { headers: { 'if-none-match': etag } })).status, 304, path);
    t.equal((await bob.client.get(`${repos}/alice/plan${path}`, { headers: { 'if-none-match': etag } })).status, 404, path);
  }
  must(await alice.client.patch(`${repos}/alice/plan`, { body: { name: 'renamed' } }), 200);
  for (const client of [alice.client, bob.client]) {
    const { status, headers } = await client.get(`${repos}/alice/plan`);
    t.same([status, headers.get('location')], [404, null]);
  }
});

// Role templates of another repository: collaborators.spec.ts.
void t.test('25: an object of another repository is not there through mine', async (t) => {
  const { forge, alice, bob, work, push } = await world(t);
  await make(alice, 'secret');
  const hidden = await work.commit('Hidden', { 'README.md': '# Hidden\n' });
  await push('alice/secret', 'main');
  await make(bob, 'mine', 'public');
  await work.git('push', '--quiet', remote(forge.url, 'bob/mine', bob), `${hidden}~1:refs/heads/main`);
  for (const path of reading(hidden)) t.equal((await bob.client.get(`${repos}/bob/mine${path}`)).status, 404, path);
  t.equal((await bob.client.post(`${repos}/bob/mine/branches`, { body: { name: 'x', base_ref: hidden } })).status, 404);
  t.equal((await bob.client.post(`${repos}/bob/mine/tags`, { body: { name: 'x', ref: hidden } })).status, 404);
  // A blob of the other repository as the one to replace.
  const sha = (await work.git('rev-parse', `${hidden}:README.md`)).trim();
  t.equal((await bob.client.put(`${repos}/bob/mine/contents/README.md`, { body: { message: 'x', content: '', sha } })).status, 409);
  const thief = await stockGit(t);
  await thief.git('init', '--quiet', 'thief');
  t.match((await thief.at('thief').ran('fetch', remote(forge.url, 'bob/mine', bob), hidden)).stderr, /not our ref/, 'nor over git');
});

// Lists of forks: forks.spec.ts.
void t.test('26: lists follow visibility and membership at once', async (t) => {
  const { forge, alice, bob } = await world(t);
  await make(alice, 'plan', 'public');
  const seen = async (client: Client) => [await client.get(repos), await client.get(`${repos}?owner=alice`)].map(({ body }) => (body as { name: string }[]).filter(({ name }) => name === 'plan').length);
  t.same([await seen(bob.client), await seen(forge.anonymous)], [[1, 1], [1, 1]]);
  must(await alice.client.patch(`${repos}/alice/plan`, { body: { visibility: 'internal' } }), 200);
  t.same([await seen(bob.client), await seen(forge.anonymous)], [[1, 1], [0, 0]]);
  must(await alice.client.patch(`${repos}/alice/plan`, { body: { visibility: 'private' } }), 200);
  t.same(await seen(bob.client), [0, 0]);
  await give(alice, 'plan', 'bob', 'read');
  t.same(await seen(bob.client), [1, 1]);
  must(await alice.client.delete(`${repos}/alice/plan/collaborators/bob`), 204);
  t.same(await seen(bob.client), [0, 0]);
});

// Stars and watching: stars.spec.ts.
void t.test('27: once access is lost, pages at hand are 404 and not 304, tokens and clones stop', async (t) => {
  const { forge, alice, bob, push } = await world(t);
  await make(alice, 'plan');
  await push('alice/plan', 'main');
  await give(alice, 'plan', 'bob', 'write');
  const token = await forge.pat(bob.client, ['repo:admin']);
  const paths = ['', '/contents', '/contents/README.md', '/raw/main/README.md', '/branches', '/tags', '/commits', '/commits/main', '/compare/main...main', '/blame/main/README.md', '/languages'];
  const kept = await Promise.all(paths.map(async (path) => [path, must(await token.get(`${repos}/alice/plan${path}`), 200).headers.get('etag') ?? ''] as const));
  const clone = await stockGit(t);
  await clone.git('clone', '--quiet', remote(forge.url, 'alice/plan', { username: 'bob', password: token.token }), 'clone');
  must(await alice.client.delete(`${repos}/alice/plan/collaborators/bob`), 204);
  for (const client of [token, bob.client]) {
    for (const [path, etag] of kept) t.equal((await client.get(`${repos}/alice/plan${path}`, { headers: { 'if-none-match': etag } })).status, 404, path);
    for (const path of reading('main')) t.equal((await client.get(`${repos}/alice/plan${path}`)).status, 404, path);
  }
  t.match((await clone.at('clone').ran('fetch')).stderr, /not found/);
  t.match((await clone.at('clone').ran('push', 'origin', 'HEAD:refs/heads/x')).stderr, /not found/);
});

void t.test('30: a commit of the parent is not readable through its fork, nor one of the fork through its parent', async (t) => {
  const { forge, alice, bob, work, push } = await world(t);
  await make(alice, 'code', 'public');
  await push('alice/code', 'main');
  must(await bob.client.post(`${repos}/alice/code/forks`, { body: { visibility: 'private' } }), 201);
  await work.git('checkout', '--quiet', '-b', 'later');
  const ofParent = await work.commit('Of the parent', { 'README.md': '# Parent\n' });
  await push('alice/code', 'later');
  must(await alice.client.patch(`${repos}/alice/code`, { body: { visibility: 'internal' } }), 200);
  await work.git('checkout', '--quiet', '-b', 'own', 'main');
  const ofFork = await work.commit('Of the fork', { 'README.md': '# Fork\n' });
  await push('bob/code', 'own');
  const thief = await stockGit(t);
  await thief.git('init', '--quiet', 'thief');
  for (const [repository, user, oid] of [['bob/code', bob, ofParent], ['alice/code', alice, ofFork]] as const) {
    for (const path of reading(oid)) t.equal((await user.client.get(`${repos}/${repository}${path}`)).status, 404, `${repository}${path}`);
    for (const version of ['0', '2']) t.match((await thief.at('thief').ran('-c', `protocol.version=${version}`, 'fetch', remote(forge.url, repository, user), oid)).stderr, /not our ref|unadvertised object/, `${repository} over git, version ${version}`);
  }
});

void t.test('30: hidden refs are neither shown nor fetched, nor named by a route', async (t) => {
  const { forge, alice, work, push } = await world(t);
  await make(alice, 'code', 'public');
  await push('alice/code', 'main');
  const url = remote(forge.url, 'alice/code', alice);
  for (const version of ['0', '2']) t.notMatch(await work.git('-c', `protocol.version=${version}`, 'ls-remote', url), /refs\/(?!heads\/|tags\/)/, version);
  for (const ref of ['refs/hexforge/x', 'refs/hexforge', 'refs/remotes/x', 'FETCH_HEAD', 'ORIG_HEAD', 'config']) {
    for (const path of reading(encodeURIComponent(ref))) t.equal((await alice.client.get(`${repos}/alice/code${path}`)).status, 404, path);
    t.not((await work.ran('fetch', url, ref)).code, 0, ref);
  }
});

// contents, raw, archive, branches, tags, and contents written: repositories.spec.ts, archives.spec.ts, branches.spec.ts, tags.spec.ts, contents-writing.spec.ts.
void t.test('32: whatever begins with a dash is a name and never an option', async (t) => {
  const { forge, alice, work, push } = await world(t);
  const marker = join(work.folder, 'pwned');
  await make(alice, 'code', 'public');
  const files = ['--output=pwned', '-rf', '--exec=touch pwned'];
  await work.commit('Dashes', Object.fromEntries(files.map((name) => [name, `${name}\n`])));
  await push('alice/code', 'main');
  const get = (path: string) => alice.client.get(`${repos}/alice/code${path}`);
  for (const option of [`--output=${marker}`, `--exec=touch ${marker}`, `--upload-pack=touch ${marker}`, '--all', '--not', '-n1', '--', '--end-of-options', '-']) {
    const at = encodeURIComponent(option);
    for (const path of reading(at)) t.equal((await get(path)).status, 404, path);
    t.same((await get(`/commits?path=${at}`)).body, [], `no such path: ${option}`);
    t.same((await get(`/commits?author=${at}`)).body, [], `no such author: ${option}`);
    t.equal((await get(`/blame/main/${at}`)).status, 404, option);
    t.ok([400, 404].includes((await get(`/commits?since=${at}`)).status), option);
    t.equal((await alice.client.patch(`${repos}/alice/code`, { body: { default_branch: option } })).status, 400, option);
    t.equal((await alice.client.post(`${repos}/alice/code/forks`, { body: { name: option } })).status, 400, option);
    t.equal((await alice.client.delete(`${repos}/alice/code/tags/${at}`)).status, 404, option);
    t.equal((await alice.client.delete(`${repos}/alice/code/branches/${at}`)).status, 404, option);
  }
  for (const name of files) {
    t.equal((await get(`/raw/main/${encodeURIComponent(name)}`)).text, `${name}\n`);
    t.match((await get(`/blame/main/${encodeURIComponent(name)}`)).body, [{ content: name }]);
    t.match((await get(`/commits?path=${encodeURIComponent(name)}`)).body, [{ message: 'Dashes' }]);
  }
  const url = remote(forge.url, 'alice/code', alice);
  t.not((await work.ran('push', url, 'main:refs/heads/-x')).code, 0, 'a push of such a branch');
  t.equal(existsSync(marker), false, 'nothing was written');
});

// POST /repos: repositories.spec.ts.
void t.test('34: names that are paths, and names that only look like others', async (t) => {
  const { forge, alice, bob } = await world(t);
  await make(alice, 'code', 'public');
  for (const name of ['..', '.', '.git', 'x.git', 'X.GIT', '%2e%2e', 'a%2fb', 'a\u0000b', 'a\\b', 'x.', 'a/../b', 'a b', 'cod\u0435', '\uff43ode', 'code\u200b', '-x', ' code', 'code ', 'a\nb', 'con', 'NUL', 'aux.txt']) {
    t.equal((await alice.client.post(repos, { body: { name } })).status, 400, JSON.stringify(name));
    t.equal((await alice.client.patch(`${repos}/alice/code`, { body: { name } })).status, 400, JSON.stringify(name));
    t.equal((await bob.client.post(`${repos}/alice/code/forks`, { body: { name } })).status, 400, JSON.stringify(name));
  }
  t.equal((await alice.client.post(repos, { body: { name: 'CODE' } })).status, 409, 'one name in another case');
  for (const path of ['alice/%2e%2e%2fbob', '..%2Falice/code', 'alice%2Fcode/x', 'alice/code%00', 'alice/code.', 'alice/cod%D0%B5', 'alice/code%5C']) t.ok([400, 404].includes((await bare(forge, `${repos}/${path}`)).status), path);
  t.equal((await alice.client.post(repos, { body: { name: 'x.lock' } })).status, 201, 'a lock of elsewhere is a name like others, for no file has the name of a repository');
});

// Encoded once, in contents: repositories.spec.ts. Of git's own files: git-http.spec.ts.
void t.test('35: no path leads out: bare dots, double encoding, absolute, backslashes', async (t) => {
  const { forge, alice, push } = await world(t);
  await make(alice, 'code', 'public');
  await push('alice/code', 'main');
  const out = ['../../../../../../etc/passwd', '..%2f..%2f..%2fetc%2fpasswd', '%252e%252e%252fetc%252fpasswd', '%2e%2e/%2e%2e/etc/passwd', '%2fetc%2fpasswd', '/etc/passwd', '..%5c..%5cetc%5cpasswd', 'src%2f%2e%2e%2fREADME.md', 'README.md%00.txt', '.git/config', '%c0%ae%c0%ae/x'];
  for (const path of out) {
    for (const route of ['raw/main', 'blame/main', 'contents', 'archive']) {
      const { status, text } = await bare(forge, `${repos}/alice/code/${route}/${path}`);
      t.ok([400, 404].includes(status), `${route}/${path}: ${status}`);
      t.notMatch(text, /root:|\[core\]|# One/, `${route}/${path}`);
    }
    for (const prefix of ['alice/code.git', 'alice/code.git/objects/info']) {
      const { status, text } = await bare(forge, `/${prefix}/${path}`);
      t.ok([400, 404].includes(status), `${prefix}/${path}: ${status}`);
      t.notMatch(text, /root:|\[core\]/, path);
    }
  }
});

// Written through the API: contents-writing.spec.ts.
void t.test('36: a link in a tree is read as its own text and never followed', async (t) => {
  const { alice, work, push } = await world(t);
  await make(alice, 'code', 'public');
  const targets = { passwd: '/etc/passwd', up: '../../../../../etc/passwd', folder: 'src', own: 'README.md', git: '.git' };
  for (const [name, target] of Object.entries(targets)) await symlink(target, join(work.folder, name));
  await work.git('add', '--all');
  await work.commit('Links', {});
  await push('alice/code', 'main');
  const get = (path: string) => alice.client.get(`${repos}/alice/code${path}`);
  for (const [name, target] of Object.entries(targets)) {
    t.equal((await get(`/raw/main/${name}`)).text, target, name);
    t.match((await get(`/contents/${name}`)).body, { content: Buffer.from(target).toString('base64') }, name);
    for (const below of ['a.txt', 'x', 'config']) for (const route of ['raw/main', 'blame/main', 'contents']) t.equal((await get(`/${route}/${name}/${below}`)).status, 404, `${route}/${name}/${below}`);
    t.same((await get(`/commits?path=${name}/a.txt`)).body, [], name);
  }
  const tar = gunzipSync((await get('/archive/main.tar.gz')).bytes);
  t.ok(tar.includes('../../../../../etc/passwd'), 'in an archive it is a link');
  t.notOk(tar.includes('root:'));
});

void t.test('37: a push of trees and submodules that harm who checks them out is refused and moves nothing', async (t) => {
  const { forge, alice, work, tip, push } = await world(t);
  await make(alice, 'code', 'public');
  await push('alice/code', 'main');
  const url = remote(forge.url, 'alice/code', alice);
  const write = async (type: string, content: Uint8Array | string): Promise<string> => {
    await work.commit('Material', { material: content });
    return (await work.git('hash-object', '-t', type, '-w', '--literally', 'material')).trim();
  };
  const blob = await write('blob', 'x');
  const entry = (mode: string, name: string, oid: string): Buffer => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]);
  const below = await write('tree', entry('100644', 'config', blob));
  const modules = async (text: string): Promise<Buffer> => entry('100644', '.gitmodules', await write('blob', text));
  const trees: readonly (readonly [string, Buffer])[] = [
    ['.git', entry('40000', '.git', below)], ['.GIT', entry('40000', '.GIT', below)], ['GIT~1', entry('40000', 'GIT~1', below)], ['.git and a dot', entry('40000', '.git.', below)], ['.git and a joiner', entry('40000', '.g\u200cit', below)],
    ['..', entry('40000', '..', below)], ['.', entry('40000', '.', below)], ['a slash', entry('100644', 'a/b', blob)], ['one name twice', Buffer.concat([entry('100644', 'a', blob), entry('100644', 'a', blob)])],
    ['.gitmodules that is a link', entry('120000', '.gitmodules', blob)],
    ['a submodule whose URL is an option', await modules('[submodule "x"]\n\tpath = x\n\turl = -u./payload\n')], ['a submodule whose path is an option', await modules('[submodule "x"]\n\tpath = -x\n\turl = https://example.com/x\n')],
    ['a submodule called ..', await modules('[submodule "../x"]\n\tpath = x\n\turl = https://example.com/x\n')], ['a submodule that updates by a command', await modules('[submodule "x"]\n\tpath = x\n\turl = https://example.com/x\n\tupdate = !touch pwned\n')],
  ];
  for (const [what, content] of trees) {
    const commit = (await work.git('commit-tree', await write('tree', content), '-m', what)).trim();
    t.match(await work.ran('push', url, `${commit}:refs/heads/evil`), { code: 1, stderr: /\[remote rejected\]/ }, what);
  }
  const sound = (await work.git('commit-tree', await write('tree', entry('40000', 'git', below)), '-m', 'Made the same way')).trim();
  await work.git('push', '--quiet', url, `${sound}:refs/heads/sound`);
  t.not((await work.ran('push', url, `main:refs/heads/${'x'.repeat(5000)}`)).code, 0, 'a name that no file could have');
  t.equal((await work.git('ls-remote', url)).trim(), `${tip}\tHEAD\n${tip}\trefs/heads/main\n${sound}\trefs/heads/sound`);
  t.equal((await alice.client.get(`${repos}/alice/code/commits/main`)).status, 200, 'and it serves on');
});

// By visibility and credential, and content types: git-http.spec.ts.
void t.test('38: receive-pack asks for write access whatever was advertised, and a gzip bomb ends early', async (t) => {
  const { forge, alice, bob, tip, work, push } = await world(t);
  await make(alice, 'code', 'public');
  await push('alice/code', 'main');
  const post = (user: TestUser, service: string, body: Uint8Array<ArrayBuffer> | string, headers: Record<string, string> = {}) => fetch(`${forge.url}/alice/code.git/git-${service}`, {
    method: 'POST', headers: { authorization: `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`, 'content-type': `application/x-git-${service}-request`, ...headers }, body,
  });
  const line = `${tip} ${'0'.repeat(40)} refs/heads/side\0 report-status`;
  const deletion = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
  await push('alice/code', 'main:refs/heads/side');
  for (const role of ['read', 'triage']) {
    await give(alice, 'code', 'bob', role);
    t.equal((await post(bob, 'receive-pack', deletion)).status, 403, role);
    t.equal((await fetch(`${forge.url}/alice/code.git/git-receive-pack?service=git-upload-pack`, { method: 'POST', headers: { authorization: `Basic ${Buffer.from(`bob:${bob.password}`).toString('base64')}`, 'content-type': 'application/x-git-receive-pack-request' }, body: deletion })).status, 403, `${role}, called the other service`);
  }
  t.match(await work.git('ls-remote', remote(forge.url, 'alice/code')), /refs\/heads\/side/, 'the branch is there');
  // One want over and over, so that git reads on.
  const bomb = new Uint8Array(gzipSync(Buffer.alloc(65 * 1024 * 1024, `0032want ${tip}\n`)));
  const answer = await post(bob, 'upload-pack', bomb, { 'content-encoding': 'gzip' });
  await answer.arrayBuffer();
  t.equal(answer.status, 413, `a bomb of ${bomb.length} bytes`);
  t.equal((await alice.client.get(`${repos}/alice/code/branches`)).status, 200, 'and it serves on');
});

// Pushes, tags of its name, and deletion over REST: protection.spec.ts, branches.spec.ts.
void t.test('40: a protected branch cannot be had under another name, by a rename, or after the default moved', async (t) => {
  const { forge, alice, bob, work, tip, push } = await world(t);
  await make(alice, 'code', 'public');
  await push('alice/code', 'main', 'main:refs/heads/side');
  await give(alice, 'code', 'bob', 'maintain');
  must(await alice.client.put(`${repos}/alice/code/branches/side/protection`, { body: { push_roles: [] } }), 200);
  const names = ['heads/side', 'refs/heads/side', 'SIDE', 'side ', 'side/', './side', 'x/../side', 'side@{0}', 'side^0', '@', 'HEAD', tip];
  t.equal((await alice.client.delete(`${repos}/alice/code/branches/side%00`)).status, 400);
  for (const name of names) for (const client of [alice.client, bob.client]) t.equal((await client.delete(`${repos}/alice/code/branches/${encodeURIComponent(name)}`)).status, 404, JSON.stringify(name));
  const url = (repository: string) => remote(forge.url, repository, bob);
  const refused = async (what: string, ...refs: readonly string[]) => t.match(await work.ran('push', '--force', url('alice/code'), ...refs), { code: 1, stderr: /rejected\]/ }, what);
  await work.commit('Two', { 'README.md': '# Two\n' });
  await refused('as it is', 'main:refs/heads/side');
  await refused('HEAD itself', 'main:HEAD');
  must(await alice.client.patch(`${repos}/alice/code`, { body: { default_branch: 'side' } }), 200);
  await refused('once it is the default', 'main:refs/heads/side');
  must(await alice.client.patch(`${repos}/alice/code`, { body: { default_branch: 'main' } }), 200);
  await refused('no longer the default', 'main:refs/heads/side');
  await refused('deleted', ':refs/heads/side');
  t.equal((await bob.client.put(`${repos}/alice/code/contents/README.md`, { body: { message: 'x', content: '', branch: 'side', sha: (await work.git('rev-parse', `${tip}:README.md`)).trim() } })).status, 403);
  must(await alice.client.patch(`${repos}/alice/code`, { body: { name: 'moved' } }), 200);
  t.not((await work.ran('push', '--force', url('alice/moved'), 'main:refs/heads/side')).code, 0, 'after the repository was renamed');
  t.equal((await bob.client.delete(`${repos}/alice/moved/branches/side`)).status, 403);
  t.equal((await work.git('ls-remote', url('alice/moved'), 'refs/heads/side')).slice(0, 40), tip, 'it stands where it stood');
});
