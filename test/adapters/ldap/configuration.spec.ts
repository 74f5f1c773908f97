// The configuration of the plugin "ldap": what is missing or unsafe is refused at start, with its remedy.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Misconfigured } from '#adapters/ldap/index';
import { bareHost, checkPlugin, Refused } from '#host/sdk/testing';
import ldap from '#plugins/ldap/plugin';
import { opened } from './directory-under-test.ts';

const problems = (config: Readonly<Record<string, unknown>>): string[] =>
  checkPlugin(ldap, { config: { ldap: config } }).map(({ message, remedy }) => `${message}. ${remedy}`);
const usable = { url: 'ldaps://directory.example.org', base_dn: 'dc=example,dc=org' };

void t.test('a missing key is named with its variable', async (t) => {
  t.strictSame(problems(usable), []);
  const [url, base, ...others] = problems({});
  t.match(url, /plugins\.ldap\.url .*LDAP_URL/);
  t.match(base, /plugins\.ldap\.base_dn .*LDAP_BASE_DN/);
  t.strictSame(others, []);
});

void t.test('a value out of bounds is refused', async (t) => {
  for (const [key, value] of [
    ['timeout_seconds', 0],
    ['timeout_seconds', 61],
    ['connections', 0],
    ['starttls', 'perhaps'],
    ['attribute_username', 'uid)(x'],
    ['attribute_email', 'mail;binary'],
    ['attribute_username', 'DN'],
    ['user_filter', `(uid={username})${'x'.repeat(1024)}`],
    ['bind_pasword', 'x'],
  ] as const) {
    const found = problems({ ...usable, [key]: value });
    t.equal(found.length, 1, key);
    t.match(found[0], `plugins.ldap.${key}`);
  }
});

void t.test('options that cannot work or are not safe are refused with the remedy, and without secrets', async (t) => {
  const folder = t.testdir({
    'empty.pem': '',
    'key.pem': '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
  });
  const broken = join(folder, 'broken.pem');
  writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const refusedBy = (url: string, options: Parameters<typeof opened>[2] = {}): Misconfigured => {
    try {
      opened(t, url, { bindPassword: 'marker-secret', ...options });
    } catch (error) {
      if (error instanceof Misconfigured) return error;
    }
    throw new Error(`${url} is accepted`);
  };
  const safe = 'ldaps://directory.example.org';
  for (const [url, options, says, remedy] of [
    ['ldap://directory.example.org', {}, /without encryption/, /ldaps:.*LDAP_STARTTLS=true.*allow_cleartext: true/],
    ['ldap://192.0.2.7:389', {}, /without encryption/, /LDAP_STARTTLS/],
    ['ldap://127.0.0.1.example.org', {}, /without encryption/, /LDAP_STARTTLS/],
    ['ldap://[2001:db8::1]', {}, /without encryption/, /LDAP_STARTTLS/],
    ['ldap://directory.example.org', { bindDn: undefined, bindPassword: undefined }, /without encryption/, /./],
    ['http://directory.example.org', {}, /LDAP_URL\) is not the address/, /ldap:\/\/HOST/],
    ['directory.example.org', {}, /not the address/, /./],
    ['ldaps://', {}, /not the address/, /./],
    ['ldaps://ada:marker-secret@directory.example.org', {}, /not the address/, /without a path, a user/],
    ['ldaps://directory.example.org/dc=example?uid', {}, /not the address/, /without a path/],
    [safe, { startTls: true }, /encrypted from the start/, /Unset LDAP_STARTTLS/],
    [safe, { bindDn: undefined }, /LDAP_BIND_PASSWORD\) is set without LDAP_BIND_DN/, /Set LDAP_BIND_DN/],
    [safe, { bindPassword: undefined }, /LDAP_BIND_DN\) is set without LDAP_BIND_PASSWORD/, /Set LDAP_BIND_PASSWORD/],
    [
      safe,
      { userFilter: '(uid=ada)' },
      /LDAP_USER_FILTER\) cannot be used: it does not contain/,
      /\(uid=\{username\}\)/,
    ],
    [safe, { caFile: join(folder, 'none.pem') }, /LDAP_CA_FILE\) cannot be read \(ENOENT\)/, /readable file/],
    [safe, { caFile: folder }, /LDAP_CA_FILE\) cannot be read \(EISDIR\)/, /readable file/],
    [safe, { caFile: join(folder, 'empty.pem') }, /contains no certificate/, /certificates \(PEM\)/],
    [safe, { caFile: join(folder, 'key.pem') }, /contains no certificate/, /certificates \(PEM\)/],
    [safe, { caFile: broken }, /a certificate that cannot be read/, /certificates \(PEM\)/],
  ] as const) {
    const { message, remedy: advice } = refusedBy(url, options);
    t.match(message, says, url);
    t.match(advice, remedy, url);
    t.notMatch(`${message} ${advice}`, /marker-secret/);
  }
});

void t.test('the host does not start with an unsafe address, and repeats the remedy', async (t) => {
  const config = { ldap: { ...usable, url: 'ldap://directory.example.org' } };
  const refused: unknown = await bareHost([ldap], { config }).catch((error: unknown) => error);
  const [problem] = refused instanceof Refused ? refused.problems : [];
  t.match(problem, { plugin: 'ldap', message: /without encryption/, remedy: /LDAP_STARTTLS=true/ });
});

void t.test('safe addresses are accepted without a connection', async (t) => {
  for (const [url, options] of [
    ['ldaps://directory.example.org', {}],
    ['ldaps://directory.example.org:3269/', {}],
    ['ldap://directory.example.org', { startTls: true }],
    ['ldap://directory.example.org', { allowCleartext: true }],
    ['ldap://localhost', {}],
    ['ldap://127.8.9.10:3389', {}],
    ['ldap://[::1]:3389', {}],
  ] as const)
    t.equal(opened(t, url, options).complaint(), undefined, url);
});
