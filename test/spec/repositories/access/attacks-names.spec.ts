// Tests of attacks by names, paths, links and pushes, numbered as in attacks.spec.ts.
import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import t from 'tap';
import type { TestUser } from '#test/support/forge';
import { thorough } from '#test/support/marks';
import { remote } from '#test/support/servers/stock-git';
import { bare, give, make, must, reading, repos, world } from './attack-world.ts';

void t.test('32: a value that begins with a dash is a name and never an option', async (t) => {
  const { forge, alice, work, push } = await world(t);
  const marker = join(work.folder, 'pwned');
  await make(alice, 'code', 'public');
  const files = ['--output=pwned', '-rf', '--exec=touch pwned'];
  await work.commit('Dashes', Object.fromEntries(files.map((name) => [name, `${name}\n`])));
  await push('alice/code', 'main');
  const get = (path: string) => alice.client.get(`${repos}/alice/code${path}`);
  for (const option of [
    `--output=${marker}`,
    `--exec=touch ${marker}`,
    `--upload-pack=touch ${marker}`,
    '--all',
    '--not',
    '-n1',
    '--',
    '--end-of-options',
    '-',
  ]) {
    const at = encodeURIComponent(option);
    for (const path of reading(at)) t.equal((await get(path)).status, 404, path);
    t.same((await get(`/commits?path=${at}`)).body, [], `no such path: ${option}`);
    t.same((await get(`/commits?author=${at}`)).body, [], `no such author: ${option}`);
    t.equal((await get(`/blame/main/${at}`)).status, 404, option);
    t.ok([400, 404].includes((await get(`/commits?since=${at}`)).status), option);
    t.equal(
      (await alice.client.patch(`${repos}/alice/code`, { body: { default_branch: option } })).status,
      400,
      option,
    );
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

// Names in POST /repos are tested in repositories.spec.ts.
void t.test('34: names that are paths, and names that only look like others', async (t) => {
  const { forge, alice, bob } = await world(t);
  await make(alice, 'code', 'public');
  for (const name of [
    '..',
    '.',
    '.git',
    'x.git',
    'X.GIT',
    '%2e%2e',
    'a%2fb',
    'a\u0000b',
    'a\\b',
    'x.',
    'a/../b',
    'a b',
    'cod\u0435',
    '\uff43ode',
    'code\u200b',
    '-x',
    ' code',
    'code ',
    'a\nb',
    'con',
    'NUL',
    'aux.txt',
  ]) {
    t.equal((await alice.client.post(repos, { body: { name } })).status, 400, JSON.stringify(name));
    t.equal((await alice.client.patch(`${repos}/alice/code`, { body: { name } })).status, 400, JSON.stringify(name));
    t.equal((await bob.client.post(`${repos}/alice/code/forks`, { body: { name } })).status, 400, JSON.stringify(name));
  }
  t.equal((await alice.client.post(repos, { body: { name: 'CODE' } })).status, 409, 'the same name ignoring case');
  for (const path of [
    'alice/%2e%2e%2fbob',
    '..%2Falice/code',
    'alice%2Fcode/x',
    'alice/code%00',
    'alice/code.',
    'alice/cod%D0%B5',
    'alice/code%5C',
  ])
    t.ok([400, 404].includes((await bare(forge, `${repos}/${path}`)).status), path);
  t.equal(
    (await alice.client.post(repos, { body: { name: 'x.lock' } })).status,
    201,
    'a name that is a lock file elsewhere is an ordinary name, because no file is named after a repository',
  );
});

// Single encoding in contents is tested in repositories.spec.ts, the paths of git's own files in git-http.spec.ts.
void t.test('35: no path leads outside: dots, double encoding, absolute paths, backslashes', async (t) => {
  const { forge, alice, push } = await world(t);
  await make(alice, 'code', 'public');
  await push('alice/code', 'main');
  const out = [
    '../../../../../../etc/passwd',
    '..%2f..%2f..%2fetc%2fpasswd',
    '%252e%252e%252fetc%252fpasswd',
    '%2e%2e/%2e%2e/etc/passwd',
    '%2fetc%2fpasswd',
    '/etc/passwd',
    '..%5c..%5cetc%5cpasswd',
    'src%2f%2e%2e%2fREADME.md',
    'README.md%00.txt',
    '.git/config',
    '%c0%ae%c0%ae/x',
  ];
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

// Writing through a link over the API is tested in contents-writing.spec.ts.
void t.test('36: a link in a tree is read as its own text and never followed', async (t) => {
  const { alice, work, push } = await world(t);
  await make(alice, 'code', 'public');
  const targets = {
    passwd: '/etc/passwd',
    up: '../../../../../../etc/passwd',
    folder: 'src',
    own: 'README.md',
    git: '.git',
  };
  for (const [name, target] of Object.entries(targets)) await symlink(target, join(work.folder, name));
  await work.git('add', '--all');
  await work.commit('Links', {});
  await push('alice/code', 'main');
  const get = (path: string) => alice.client.get(`${repos}/alice/code${path}`);
  for (const [name, target] of Object.entries(targets)) {
    t.equal((await get(`/raw/main/${name}`)).text, target, name);
    t.match((await get(`/contents/${name}`)).body, { content: Buffer.from(target).toString('base64') }, name);
    for (const below of ['a.txt', 'x', 'config'])
      for (const route of ['raw/main', 'blame/main', 'contents'])
        t.equal((await get(`/${route}/${name}/${below}`)).status, 404, `${route}/${name}/${below}`);
    t.same((await get(`/commits?path=${name}/a.txt`)).body, [], name);
  }
  const tar = gunzipSync((await get('/archive/main.tar.gz')).bytes);
  t.ok(tar.includes('../../../../../../etc/passwd'), 'in an archive it is a link');
  t.notOk(tar.includes('root:'));
});

void thorough(t).test(
  '37: a push of trees and submodules that harm a checkout is refused and moves nothing',
  async (t) => {
    const { forge, alice, work, tip, push } = await world(t);
    await make(alice, 'code', 'public');
    await push('alice/code', 'main');
    const url = remote(forge.url, 'alice/code', alice);
    const write = async (type: string, content: Uint8Array | string): Promise<string> => {
      await work.commit('Material', { material: content });
      return (await work.git('hash-object', '-t', type, '-w', '--literally', 'material')).trim();
    };
    const blob = await write('blob', 'x');
    const entry = (mode: string, name: string, oid: string): Buffer =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]);
    const below = await write('tree', entry('100644', 'config', blob));
    const modules = async (text: string): Promise<Buffer> => entry('100644', '.gitmodules', await write('blob', text));
    const trees: readonly (readonly [string, Buffer])[] = [
      ['.git', entry('40000', '.git', below)],
      ['.GIT', entry('40000', '.GIT', below)],
      ['GIT~1', entry('40000', 'GIT~1', below)],
      ['.git and a dot', entry('40000', '.git.', below)],
      ['.git and a joiner', entry('40000', '.g\u200cit', below)],
      ['..', entry('40000', '..', below)],
      ['.', entry('40000', '.', below)],
      ['a slash', entry('100644', 'a/b', blob)],
      ['one name twice', Buffer.concat([entry('100644', 'a', blob), entry('100644', 'a', blob)])],
      ['.gitmodules that is a link', entry('120000', '.gitmodules', blob)],
      ['a submodule whose URL is an option', await modules('[submodule "x"]\n\tpath = x\n\turl = -u./payload\n')],
      [
        'a submodule whose path is an option',
        await modules('[submodule "x"]\n\tpath = -x\n\turl = https://example.com/x\n'),
      ],
      ['a submodule called ..', await modules('[submodule "../x"]\n\tpath = x\n\turl = https://example.com/x\n')],
      [
        'a submodule that updates by a command',
        await modules('[submodule "x"]\n\tpath = x\n\turl = https://example.com/x\n\tupdate = !touch pwned\n'),
      ],
    ];
    for (const [what, content] of trees) {
      const commit = (await work.git('commit-tree', await write('tree', content), '-m', what)).trim();
      t.match(
        await work.ran('push', url, `${commit}:refs/heads/evil`),
        { code: 1, stderr: /\[remote rejected\]/ },
        what,
      );
    }
    const sound = (
      await work.git('commit-tree', await write('tree', entry('40000', 'git', below)), '-m', 'Made the same way')
    ).trim();
    await work.git('push', '--quiet', url, `${sound}:refs/heads/sound`);
    t.not((await work.ran('push', url, `main:refs/heads/${'x'.repeat(5000)}`)).code, 0, 'a name that no file can have');
    t.equal(
      (await work.git('ls-remote', url)).trim(),
      `${tip}\tHEAD\n${tip}\trefs/heads/main\n${sound}\trefs/heads/sound`,
    );
    t.equal((await alice.client.get(`${repos}/alice/code/commits/main`)).status, 200, 'the server continues to serve');
  },
);

// Access by visibility and credential, and content types, are tested in git-http.spec.ts.
void thorough(t).test(
  '38: receive-pack checks write access regardless of the advertisement, and a gzip bomb is rejected early',
  async (t) => {
    const { forge, alice, bob, tip, work, push } = await world(t);
    await make(alice, 'code', 'public');
    await push('alice/code', 'main');
    const post = (
      user: TestUser,
      service: string,
      body: Uint8Array<ArrayBuffer> | string,
      headers: Record<string, string> = {},
    ) =>
      fetch(`${forge.url}/alice/code.git/git-${service}`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`,
          'content-type': `application/x-git-${service}-request`,
          ...headers,
        },
        body,
      });
    const line = `${tip} ${'0'.repeat(40)} refs/heads/side\0 report-status`;
    const deletion = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
    await push('alice/code', 'main:refs/heads/side');
    for (const role of ['read', 'triage']) {
      await give(alice, 'code', 'bob', role);
      t.equal((await post(bob, 'receive-pack', deletion)).status, 403, role);
      t.equal(
        (
          await fetch(`${forge.url}/alice/code.git/git-receive-pack?service=git-upload-pack`, {
            method: 'POST',
            headers: {
              authorization: `Basic ${Buffer.from(`bob:${bob.password}`).toString('base64')}`,
              'content-type': 'application/x-git-receive-pack-request',
            },
            body: deletion,
          })
        ).status,
        403,
        `${role}, to the other service`,
      );
    }
    t.match(await work.git('ls-remote', remote(forge.url, 'alice/code')), /refs\/heads\/side/, 'the branch exists');
    // The same `want` line is repeated, so that git continues to read.
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(65 * 1024 * 1024, `0032want ${tip}\n`)));
    const answer = await post(bob, 'upload-pack', bomb, { 'content-encoding': 'gzip' });
    await answer.arrayBuffer();
    t.equal(answer.status, 413, `a bomb of ${bomb.length} bytes`);
    t.equal((await alice.client.get(`${repos}/alice/code/branches`)).status, 200, 'the server continues to serve');
  },
);

// Pushes to a protected branch, tags with its name, and its deletion over REST are tested in protection.spec.ts and
// branches.spec.ts.
void t.test(
  '40: a protected branch cannot be changed under another name, by a rename, or after the default branch changed',
  async (t) => {
    const { forge, alice, bob, work, tip, push } = await world(t);
    await make(alice, 'code', 'public');
    await push('alice/code', 'main', 'main:refs/heads/side');
    await give(alice, 'code', 'bob', 'maintain');
    must(await alice.client.put(`${repos}/alice/code/branches/side/protection`, { body: { push_roles: [] } }), 200);
    const names = [
      'heads/side',
      'refs/heads/side',
      'SIDE',
      'side ',
      'side/',
      './side',
      'x/../side',
      'side@{0}',
      'side^0',
      '@',
      'HEAD',
      tip,
    ];
    t.equal((await alice.client.delete(`${repos}/alice/code/branches/side%00`)).status, 400);
    for (const name of names)
      for (const client of [alice.client, bob.client])
        t.equal(
          (await client.delete(`${repos}/alice/code/branches/${encodeURIComponent(name)}`)).status,
          404,
          JSON.stringify(name),
        );
    const url = (repository: string) => remote(forge.url, repository, bob);
    const refused = async (what: string, ...refs: readonly string[]) =>
      t.match(await work.ran('push', '--force', url('alice/code'), ...refs), { code: 1, stderr: /rejected\]/ }, what);
    await work.commit('Two', { 'README.md': '# Two\n' });
    await refused('as it is', 'main:refs/heads/side');
    await refused('HEAD itself', 'main:HEAD');
    must(await alice.client.patch(`${repos}/alice/code`, { body: { default_branch: 'side' } }), 200);
    await refused('once it is the default', 'main:refs/heads/side');
    must(await alice.client.patch(`${repos}/alice/code`, { body: { default_branch: 'main' } }), 200);
    await refused('no longer the default', 'main:refs/heads/side');
    await refused('deleted', ':refs/heads/side');
    t.equal(
      (
        await bob.client.put(`${repos}/alice/code/contents/README.md`, {
          body: {
            message: 'x',
            content: '',
            branch: 'side',
            sha: (await work.git('rev-parse', `${tip}:README.md`)).trim(),
          },
        })
      ).status,
      403,
    );
    must(await alice.client.patch(`${repos}/alice/code`, { body: { name: 'moved' } }), 200);
    t.not(
      (await work.ran('push', '--force', url('alice/moved'), 'main:refs/heads/side')).code,
      0,
      'after the repository was renamed',
    );
    t.equal((await bob.client.delete(`${repos}/alice/moved/branches/side`)).status, 403);
    t.equal(
      (await work.git('ls-remote', url('alice/moved'), 'refs/heads/side')).slice(0, 40),
      tip,
      'its tip is unchanged',
    );
  },
);
