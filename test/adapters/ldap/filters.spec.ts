// Filters with escaped names, and the forms of DNs and GUIDs that identify users.
import t from 'tap';
import { escaped, filterTemplate, memberFilter } from '#adapters/ldap/filter';
import { guidText, normalisedDn } from '#adapters/ldap/directory/user';

void t.test('values are escaped as RFC 4515 says', async (t) => {
  t.equal(escaped('a*(b)\\c\0d'), String.raw`a\2a\28b\29\5cc\00d`);
  t.equal(escaped('Zoë 👤 {username} $& %'), 'Zoë 👤 {username} $& %');
  t.equal(escaped(String.raw`\2a`), String.raw`\5c2a`);
});

void t.test(
  'every occurrence of the placeholder is replaced, and no name changes the form of the filter',
  async (t) => {
    const filter = filterTemplate('(&(objectClass=person)(|(uid={username})(mail={username}@example.org)))');
    const form = (name: string): unknown => JSON.parse(JSON.stringify(filter(name))) as unknown;
    const expected = (name: string): object => ({
      filters: [
        { attribute: 'objectClass', value: 'person' },
        {
          filters: [
            { attribute: 'uid', value: name },
            { attribute: 'mail', value: `${name}@example.org` },
          ],
        },
      ],
    });
    for (const name of [
      'ada',
      '*',
      '*)(uid=*',
      'a)(|(b=c',
      '\\',
      String.raw`\2a`,
      'a\0b',
      '$&',
      "$'",
      '{username}',
      'ü👤',
      '(',
      '&',
      '!',
    ])
      t.match(form(name), expected(name), JSON.stringify(name));
  },
);

void t.test('a filter that cannot be used is refused with the reason', async (t) => {
  for (const [template, says] of [
    ['(uid=ada)', /does not contain \{username\}/],
    ['uid={username}', /parentheses/],
    ['(uid={username}', /parentheses/],
    ['(uid={username}))', /not a filter/],
    ['(&(uid={username})', /not a filter/],
    ['(&)(uid={username})', /not a filter/],
    ['({username}=x)', /equals sign/],
    ['(uid=x)({username}=x)', /equals sign/],
    ['({username})', /equals sign/],
    [String.raw`(&(ou=M\c3\bcnchen)(uid={username}))`, /without escapes/],
    [String.raw`(&(ou=\zz)(uid={username}))`, /not a filter/],
    [`${'(&'.repeat(400)}(uid={username})${')'.repeat(399)}`, /not a filter/],
  ] as const)
    t.throws(() => filterTemplate(template), { message: says }, template.slice(0, 60));
  for (const template of [
    '(uid={username})',
    '(|(uid={username})(mail={username}))',
    '(&(sAMAccountName={username})(!(userAccountControl:1.2.840.113556.1.4.803:=2)))',
    '(uid:caseExactMatch:={username})',
    '(mail={username}@*)',
    '(ou=München)'.replace('(ou', '(&(uid={username})(ou').concat(')'),
  ])
    t.doesNotThrow(() => filterTemplate(template), template);
});

void t.test('the filter of members compares the whole DN and the name', async (t) => {
  const dn = String.raw`cn=Hopper\, G (*),dc=example`;
  t.match(JSON.parse(JSON.stringify(memberFilter(dn, 'g*'))), {
    filters: [
      { attribute: 'member', value: dn },
      { attribute: 'uniqueMember', value: dn },
      { attribute: 'memberUid', value: 'g*' },
    ],
  });
});

void t.test('DNs are compared without case and without spaces around separators', async (t) => {
  t.equal(normalisedDn('CN=Admins , OU = Groups,DC=example'), 'cn=admins,ou=groups,dc=example');
  t.equal(normalisedDn(String.raw`CN=Hopper\2C Grace,DC=x`), String.raw`cn=hopper\, grace,dc=x`);
  t.not(normalisedDn(String.raw`cn=a\,b,dc=x`), normalisedDn('cn=a,b,dc=x'));
  t.not(normalisedDn('cn=a b'), normalisedDn('cn=ab'));
  const begin = performance.now();
  normalisedDn(`cn=${' ,'.repeat(50_000)}${'\\'.repeat(50_000)}${' '.repeat(50_000)}`);
  t.ok(performance.now() - begin < 200, 'in linear time');
});

void t.test('a GUID has its text form', async (t) => {
  const bytes = Buffer.from('33221100554477668899aabbccddeeff', 'hex');
  t.equal(guidText(bytes), '00112233-4455-6677-8899-aabbccddeeff');
  t.throws(() => guidText(bytes.subarray(1)), { message: /16 bytes/ });
});
