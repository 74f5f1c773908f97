// A forge with the plugin "ldap" and OpenLDAP: sign-in by REST and git, accounts, administrators, linking and faults.
import t from 'tap';
import { startTestForge, type TestForge } from '#test/support/forge';
import { adminGroups, baseDn, passwordOf, readerPassword, readers } from '../../../tools/peers/slapd-seed.ts';
import { startSlapd } from '../../../tools/peers/slapd.ts';

const server = await startSlapd();
t.teardown(() => server.remove());

const environment = {
  HEXFORGE_PLUGINS: '+ldap',
  LDAP_URL: server.url,
  LDAP_BIND_DN: readers.usual,
  LDAP_BIND_PASSWORD: readerPassword,
  LDAP_BASE_DN: baseDn,
  LDAP_ADMIN_GROUP: adminGroups.member,
  LDAP_TIMEOUT_SECONDS: '1',
};

const login = ({ anonymous }: TestForge, username: string, password = passwordOf(username)) =>
  anonymous.post('/api/v1/auth/login', { body: { username, password } });

void t.test('users of the directory sign in, use git and become administrators by their group', async (t) => {
  const forge = await startTestForge(t, { database: 'memory', environment });
  t.strictSame((await forge.anonymous.get('/api/v1/auth/providers')).body, {
    items: [{ id: 'ldap', kind: 'password', display_name: 'LDAP' }],
  });
  const first = await login(forge, 'ada');
  t.match(first, {
    status: 200,
    body: { user: { username: 'ada', email: 'ada@example.org', display_name: 'Ada Lovelace', is_admin: true } },
  });
  const { id } = (first.body as { user: { id: string } }).user;
  t.match((await login(forge, 'ADA', passwordOf('ada'))).body, { user: { id, username: 'ada' } });
  t.match((await login(forge, 'carol')).body, { user: { username: 'carol', is_admin: false } });
  t.match((await login(forge, 'dora')).body, { user: { username: 'dora', is_admin: false } });
  const root = await forge.administrator();
  await root.patch(`/api/v1/admin/users/${id}`, { body: { is_admin: false } });
  t.match((await login(forge, 'ada')).body, { user: { is_admin: true } }, 'the directory decides at each sign-in');
  const dora = (await login(forge, 'dora')).body as { user: { id: string } };
  await root.patch(`/api/v1/admin/users/${dora.user.id}`, { body: { is_admin: true } });
  t.match((await login(forge, 'dora')).body, { user: { is_admin: false } });
  const git = await fetch(`${forge.url}/ada/none.git/info/refs?service=git-upload-pack`, {
    headers: { authorization: `Basic ${Buffer.from(`ada:${passwordOf('ada')}`).toString('base64')}` },
  });
  t.equal(git.status, 404, 'the password is accepted, and the repository does not exist');
  for (const [username, password] of [
    ['ada', 'wrong'],
    ['*', 'x'],
    ['ada)(uid=*', passwordOf('ada')],
    ['twin', passwordOf('twin')],
    ['gone', passwordOf('gone')],
    ['nobody', 'x'],
  ] as const)
    t.equal((await login(forge, username, password)).status, 401, username);
});

void t.test('a taken name is refused until its owner links the entry', async (t) => {
  const forge = await startTestForge(t, { database: 'memory', environment });
  const owner = await forge.createUser('ada', { email: 'elsewhere@example.org' });
  t.match(await login(forge, 'ada'), { status: 403, body: { error_code: 'account_exists' } });
  t.equal((await login(forge, 'ada', owner.password)).status, 200);
  const wrong = await owner.client.post('/api/v1/user/identities/ldap', { body: { username: 'ada', password: 'x' } });
  t.match(wrong, { status: 403, body: { error_code: 'wrong_password' } });
  t.equal((await owner.client.post('/api/v1/user/identities/ldap', { body: { username: 'ada' } })).status, 400);
  const body = { username: 'ada', password: passwordOf('ada') };
  t.match(await owner.client.post('/api/v1/user/identities/ldap', { body }), {
    status: 201,
    body: { provider: 'ldap', subject_hint: 'ada' },
  });
  t.match(await login(forge, 'ada'), { status: 200, body: { user: { id: owner.id, is_admin: true } } });
  const root = await forge.signIn(forge.admin.username, forge.admin.password);
  const eve = { username: 'eve', password: passwordOf('eve') };
  t.equal((await root.post('/api/v1/user/identities/ldap', { body: eve })).status, 201);
  t.match(await login(forge, 'eve'), { body: { user: { username: 'admin', is_admin: true } } }, 'the first stays one');
});

void t.test('a directory that is down is 503, except for accounts with a local password', async (t) => {
  const forge = await startTestForge(t, { database: 'memory', environment });
  const local = await forge.createUser('local');
  t.equal((await login(forge, 'ada')).status, 200);
  await server.stop();
  try {
    t.match(await login(forge, 'ada'), { status: 503, body: { error: /"ldap"/ } });
    t.equal((await login(forge, 'nobody', 'x')).status, 503);
    t.equal((await login(forge, 'local', local.password)).status, 200);
    t.equal((await login(forge, 'local', 'wrong')).status, 401);
    t.equal((await forge.signIn(forge.admin.username, forge.admin.password)).user.username, 'admin');
  } finally {
    await server.start();
  }
  t.equal((await login(forge, 'ada')).status, 200);
  await server.freeze();
  try {
    const begun = performance.now();
    const [away, here] = await Promise.all([login(forge, 'ada'), login(forge, 'local', local.password)]);
    t.strictSame([away.status, here.status], [503, 200]);
    t.ok(performance.now() - begun < 8000, 'the time limit of one second ends it');
  } finally {
    server.resume();
  }
});

void t.test('the passwords are in no log, audit entry or page', async (t) => {
  const forge = await startTestForge(t, { database: 'memory', environment });
  await login(forge, 'ada');
  await login(forge, 'ada', 'marker-wrong-password');
  const root = await forge.administrator();
  const texts = [
    forge.output.stdout,
    forge.output.stderr,
    (await root.get('/api/v1/admin/audit-log?per_page=100')).text,
    (await root.get('/api/v1/admin/plugins')).text,
    (await root.get('/api/v1/admin/settings')).text,
  ];
  t.match(texts[2], /"provider":"ldap"/);
  for (const secret of [readerPassword, passwordOf('ada'), 'marker-wrong-password'])
    for (const text of texts) t.notOk(text.includes(secret), secret.slice(0, 8));
});
