// The user that an assertion describes: attributes by usual and by configured names.
import t from 'tap';
import type { SamlAttribute, VerifiedAssertion } from '#adapters/saml/index';
import { userOf } from '#plugins/saml/user';

const usual = { username: '', email: '', displayName: '' };
const assertionOf = (attributes: readonly SamlAttribute[], nameId = 'x-1', nameIdFormat = 'persistent' as const) =>
  ({
    assertionId: '_a',
    inResponseTo: '_r',
    notOnOrAfter: new Date(0),
    nameId,
    nameIdFormat,
    attributes,
  }) satisfies VerifiedAssertion;

void t.test('attributes are found by their usual names', async (t) => {
  const attributes: readonly SamlAttribute[] = [
    { name: 'cn', values: ['Ada L.'] },
    { name: 'urn:x', friendlyName: 'displayName', values: ['', ' Ada Lovelace '] },
    { name: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress', values: ['ada@example.org'] },
    { name: 'urn:oid:0.9.2342.19200300.100.1.1', values: ['ada'] },
  ];
  t.strictSame(userOf(assertionOf(attributes), usual), {
    subject: 'persistent:x-1',
    username: 'ada',
    email: 'ada@example.org',
    emailVerified: true,
    displayName: 'Ada Lovelace',
  });
});

void t.test('a configured name is the only one', async (t) => {
  const attributes: readonly SamlAttribute[] = [
    { name: 'uid', values: ['ada'] },
    { name: 'login', values: ['lovelace'] },
    { name: 'mail', values: ['ada@example.org'] },
  ];
  t.match(userOf(assertionOf(attributes), { ...usual, username: 'login', email: 'other' }), {
    username: 'lovelace',
    email: undefined,
    emailVerified: false,
  });
});

void t.test('the NameID is used where attributes are missing or too long', async (t) => {
  const long = [{ name: 'uid', values: ['a'.repeat(255)] }];
  t.strictSame(userOf({ ...assertionOf(long, 'ada@example.org'), nameIdFormat: 'email' }, usual), {
    subject: 'email:ada@example.org',
    username: 'ada',
    email: 'ada@example.org',
    emailVerified: true,
    displayName: undefined,
  });
  t.match(userOf({ ...assertionOf([], 'ada'), nameIdFormat: 'unspecified' }, usual), {
    subject: 'unspecified:ada',
    username: 'ada',
    email: undefined,
  });
  t.match(userOf(assertionOf([]), usual), { username: undefined, email: undefined, emailVerified: false });
});
