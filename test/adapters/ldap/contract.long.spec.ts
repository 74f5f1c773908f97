// The LDAP directory on OpenLDAP: the contract suite, the user that it returns, and who is refused.
import t from 'tap';
import { passwordDirectoryChecks } from '#test/contracts/sign-in/password-directory';
import { freePort } from '../../../tools/peers/machine.ts';
import { startSlapd } from '../../../tools/peers/slapd.ts';
import { adminGroups, baseDn, passwordOf, readerPassword, readers } from '../../../tools/peers/slapd-seed.ts';
import { fault, opened, proxyTo } from './directory-under-test.ts';

void t.test('the LDAP directory on OpenLDAP', async (t) => {
  // The entry `ou=elsewhere` refers to this server, which forwards to the first one: following it would work.
  const port = await freePort();
  const server = await startSlapd({ referTo: port });
  t.teardown(() => server.remove());
  const other = await proxyTo(t, server.port, port);
  const usual = opened(t, server.url);

  for (const adminGroup of [undefined, adminGroups.member]) {
    const { directory } = opened(t, server.url, { adminGroup });
    const people = ['ada', 'eve'].map((username) => ({ username, password: passwordOf(username) }));
    const [ada, eve] = people;
    if (ada === undefined || eve === undefined) throw new Error('two people');
    for (const { name, run } of passwordDirectoryChecks)
      await t.test(`${name}, ${adminGroup === undefined ? 'without' : 'with'} an admin group`, () =>
        run({ directory, people: [ada, eve] }),
      );
  }

  await t.test('the user has the first e-mail address and a display name without control characters', async (t) => {
    const ada = await usual.check('ada');
    t.match(ada, { username: 'ada', email: 'ada@example.org', displayName: 'Ada Lovelace' });
    t.match(ada?.subject, /^[0-9a-f-]{36}$/);
    t.notOk('isAdmin' in (ada ?? {}), 'undecided without an admin group');
    const byOtherName = opened(t, server.url, {
      attributes: { username: 'uid', email: 'mail', displayName: 'displayName' },
    });
    const eve = await byOtherName.check('eve');
    t.equal(eve?.displayName, 'Eve');
    t.notOk('email' in (eve ?? {}), 'an implausible address is left out');
  });

  await t.test('a name in other letters, or another attribute of the filter, finds the same user', async (t) => {
    const either = opened(t, server.url, { userFilter: '(&(objectClass=user)(|(uid={username})(mail={username})))' });
    const user = await either.check('ada');
    t.strictSame(await either.check('ADA', passwordOf('ada')), user);
    t.strictSame(await either.check('countess@example.org', passwordOf('ada')), user);
  });

  await t.test('a service account is not needed where the directory may be searched anonymously', async (t) => {
    const anonymous = opened(t, server.url, { bindDn: undefined, bindPassword: undefined });
    t.equal((await anonymous.check('ada'))?.username, 'ada');
    t.equal(await anonymous.check('ada', 'wrong'), undefined);
  });

  await t.test('entries whose DN has special characters sign in', async (t) => {
    const { check } = opened(t, server.url, { adminGroup: adminGroups.member });
    t.match(await check('grace'), { username: 'grace', displayName: 'Hopper, Grace (*) \\', isAdmin: true });
    t.match(await check('zoe'), { username: 'zoe', displayName: 'Zoë + "Q" #1', isAdmin: true });
    t.equal(await check('grace', 'wrong'), undefined);
  });

  await t.test('the subject is the objectGUID without an entryUUID, and else the DN', async (t) => {
    const asActiveDirectory = opened(t, server.url, { bindDn: readers.activeDirectory });
    t.equal((await asActiveDirectory.check('dora'))?.subject, '00112233-4455-6677-8899-aabbccddeeff');
    t.equal((await asActiveDirectory.check('ada'))?.subject, `uid=ada,ou=people,${baseDn}`);
    const plain = opened(t, server.url, { bindDn: readers.plain });
    t.equal((await plain.check('dora'))?.subject, `uid=dora,ou=people,${baseDn}`);
  });

  await t.test('a disabled account of Active Directory is refused, also with the right password', async (t) => {
    t.equal((await usual.check('dora'))?.username, 'dora');
    t.equal(await usual.check('gone'), undefined);
    const byAccount = opened(t, server.url, {
      userFilter: '(sAMAccountName={username})',
      attributes: { username: 'sAMAccountName', email: 'mail', displayName: 'cn' },
    });
    t.equal((await byAccount.check('dora'))?.username, 'dora');
    t.equal(await byAccount.check('gone'), undefined);
  });

  await t.test('several entries of one name are refused, and the log does not name them', async (t) => {
    const { check, lines } = opened(t, server.url);
    t.equal(await check('twin'), undefined);
    t.equal(lines.length, 1);
    t.match(lines[0], /several entries/);
    t.notMatch(lines[0], /twin|password/);
  });

  await t.test('a size limit of the directory counts as several entries', async (t) => {
    const limited = opened(t, server.url, { bindDn: readers.limited });
    t.equal(await limited.check('twin'), undefined, 'the directory returns one of the three entries');
    t.match(limited.lines, [/several entries/]);
    t.equal((await limited.check('ada'))?.username, 'ada');
  });

  await t.test('referrals are not followed: the other server gets no connection', async (t) => {
    const above = opened(t, server.url);
    t.equal((await above.check('ada'))?.username, 'ada', 'a search that also returns a reference');
    t.equal(await above.check('nobody'), undefined);
    const below = opened(t, server.url, { baseDn: `ou=elsewhere,ou=people,${baseDn}` });
    t.equal(await below.check('ada'), undefined, 'a search that is answered with a referral');
    t.equal(other.connections.total, 0);
  });

  await t.test('an entry without a password or a username is no user', async (t) => {
    t.equal(await usual.check('keyless'), undefined);
    const byMail = opened(t, server.url, { userFilter: '(mail={username})' });
    t.match(
      await fault(byMail.check('nameless@example.org', passwordOf('nameless'))),
      /The entry has no attribute "uid"/,
    );
    t.equal(byMail.complaint(), undefined, 'one faulty entry is no fault of the directory');
  });

  await t.test('membership of the admin group is read both ways and in every form', async (t) => {
    for (const [form, member, other] of [
      ['member', 'ada', 'eve'],
      ['uniqueMember', 'ada', 'eve'],
      ['memberUid', 'ada', 'eve'],
      ['memberOf', 'carol', 'ada'],
    ] as const) {
      const { check } = opened(t, server.url, { adminGroup: adminGroups[form] });
      t.equal((await check(member))?.isAdmin, true, form);
      t.equal((await check(other))?.isAdmin, false, form);
    }
    const spelled = opened(t, server.url, { adminGroup: 'CN=Computed, OU=Groups, DC=example, DC=org' });
    t.equal((await spelled.check('carol'))?.isAdmin, true, 'another spelling of the DN');
  });

  await t.test('a missing group decides nothing; a group that cannot be read fails the check', async (t) => {
    const missing = opened(t, server.url, { adminGroup: `cn=none,${baseDn}` });
    t.match(await missing.check('ada'), { username: 'ada', isAdmin: undefined });
    t.match(missing.lines, [/group of administrators does not exist/]);
    const hidden = opened(t, server.url, { adminGroup: adminGroups.hidden, bindDn: readers.plain });
    t.match(await hidden.check('ada'), { username: 'ada', isAdmin: undefined });
    t.match(hidden.lines, [/cannot be seen/]);
    const broken = opened(t, server.url, { adminGroup: 'not a DN' });
    t.match(await fault(broken.check('ada')), /result code 34/);
    t.equal(await broken.check('ada', 'wrong'), undefined, 'a wrong password stays a wrong password');
  });

  await t.test('wrong service credentials and a missing base are faults, without secrets', async (t) => {
    const wrong = opened(t, server.url, { bindPassword: 'marker-secret' });
    t.match(await fault(wrong.check('ada')), /refused the service account \(result code 49/);
    t.match(wrong.complaint(), /refused the service account/);
    t.notMatch(`${wrong.complaint() ?? ''}${wrong.lines.join('')}`, /marker-secret|ada-password/);
    const nowhere = opened(t, server.url, { baseDn: 'dc=nowhere' });
    t.match(await fault(nowhere.check('ada')), /result code 32/);
  });

  await t.test('a trial reports each step and contains no secret', async (t) => {
    const { inspect } = opened(t, server.url, { adminGroup: adminGroups.member }).directory;
    const { signal } = new AbortController();
    const names = async (username: string, password?: string): Promise<string[]> =>
      (await inspect(username, password, signal)).steps.map(({ title, outcome }) => `${title} ${outcome}`);
    const begin = ['Connection good', 'Encryption unknown', 'Service account good'];
    t.strictSame(await names('ada', passwordOf('ada')), [
      ...begin,
      'Search good',
      'Password good',
      'Attributes good',
      'Administrators good',
    ]);
    t.strictSame(await names('ada'), [
      ...begin,
      'Search good',
      'Password unknown',
      'Attributes good',
      'Administrators good',
    ]);
    t.strictSame(await names('ada', 'wrong'), [...begin, 'Search good', 'Password bad']);
    t.strictSame(await names('gone', passwordOf('gone')), [...begin, 'Search good', 'Password bad']);
    t.strictSame(await names('twin', 'x'), [...begin, 'Search bad']);
    t.strictSame(await names('nobody', 'x'), [...begin, 'Search bad']);
    const { steps, user } = await inspect('ada', passwordOf('ada'), signal);
    t.strictSame(user, await opened(t, server.url, { adminGroup: adminGroups.member }).check('ada'));
    t.match(JSON.stringify(steps), /uid=ada,ou=people/);
    t.notMatch(JSON.stringify(steps), new RegExp(`${passwordOf('ada')}|${readerPassword}`));
    const wrong = await opened(t, server.url, { bindPassword: 'marker-secret' }).directory.inspect(
      'ada',
      undefined,
      signal,
    );
    t.strictSame(
      wrong.steps.map(({ title, outcome }) => `${title} ${outcome}`),
      ['Connection good', 'Encryption unknown', 'Service account bad'],
    );
    t.notMatch(JSON.stringify(wrong), /marker-secret/);
  });
});
