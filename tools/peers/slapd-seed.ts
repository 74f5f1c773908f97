// The entries of the directory that the tests run on.

export const baseDn = 'dc=example,dc=org';
const people = `ou=people,${baseDn}`;
const groups = `ou=groups,${baseDn}`;

/** Service accounts. Their password is `readerPassword`. */
export const readers = {
  usual: `cn=reader,${baseDn}`,
  /** Gets one entry per search. */
  limited: `cn=limited,${baseDn}`,
  /** Does not see entryUUID, as if the directory were Active Directory. */
  activeDirectory: `cn=ad-reader,${baseDn}`,
  /** Sees neither entryUUID nor objectGUID. */
  plain: `cn=plain-reader,${baseDn}`,
} as const;
export const readerPassword = 'service-secret-7391';

/** Groups of administrators, by how they store their members. */
export const adminGroups = {
  member: `cn=admins,${groups}`,
  uniqueMember: `cn=unique-admins,${groups}`,
  memberUid: `cn=posix-admins,${groups}`,
  /** Named by `memberOf` of an entry only; the group itself has another member. */
  memberOf: `cn=computed,${groups}`,
  /** Not visible for `readers.plain`. */
  hidden: `cn=hidden,${groups}`,
} as const;

/** DNs with characters that must be escaped. */
export const strange = {
  comma: String.raw`cn=Hopper\, Grace (\2A) \5C,ou=people,dc=example,dc=org`,
  plus: String.raw`cn=Zoë \+ \"Q\" #1+uid=zoe,ou=people,dc=example,dc=org`,
} as const;

export const passwordOf = (uid: string): string => `${uid}-password`;

const guid = Buffer.from('33221100554477668899aabbccddeeff', 'hex').toString('base64');

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const person = (uid: string, lines: readonly string[] = [], dn = `uid=${uid},${people}`): string =>
  [
    `dn:: ${base64(dn)}`,
    'objectClass: user',
    ...(lines.some((line) => line.startsWith('cn:')) ? [] : [`cn: Person ${uid}`]),
    `uid: ${uid}`,
    'sn: Person',
    `userPassword: ${passwordOf(uid)}`,
    ...lines,
  ].join('\n');

const unit = (dn: string): string => `dn: ${dn}\nobjectClass: organizationalUnit\nou: ${dn.split(/[=,]/)[1] ?? ''}`;

export const seed = (referTo: number): string =>
  `${[
    `dn: ${baseDn}\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example`,
    unit(people),
    unit(groups),
    ...Object.values(readers).map(
      (dn) =>
        `dn: ${dn}\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: ${/cn=([^,]+)/.exec(dn)?.[1] ?? ''}\nuserPassword: ${readerPassword}`,
    ),
    person('ada', [`cn:: ${base64('Ada  Lovelace')}`, 'mail: ada@example.org', 'mail: countess@example.org']),
    person('eve', ['mail: not an address', `displayName:: ${base64('Eve\u0007\u202E')}`]),
    person('carol', [`memberOf: ${adminGroups.memberOf}`]),
    person('grace', ['cn: Hopper, Grace (*) \\'], strange.comma),
    person('zoe', [`cn:: ${base64('Zoë + "Q" #1')}`], strange.plus),
    person('dora', ['sAMAccountName: dora', 'userAccountControl: 512', `objectGUID:: ${guid}`]),
    person('gone', ['sAMAccountName: gone', 'userAccountControl: 514']),
    person('star*', ['mail: star@example.org']),
    // Three entries with one name, in three units.
    ...['one', 'two', 'three'].flatMap((name) => [
      unit(`ou=${name},${baseDn}`),
      person('twin', ['mail: twin@example.org'], `uid=twin,ou=${name},${baseDn}`),
    ]),
    `dn: uid=keyless,${people}\nobjectClass: user\ncn: No password\nsn: K\nuid: keyless`,
    `dn: cn=nameless,${people}\nobjectClass: user\ncn: nameless\nsn: N\nmail: nameless@example.org\nuserPassword: ${passwordOf('nameless')}`,
    `dn: ou=elsewhere,${people}\nobjectClass: referral\nobjectClass: extensibleObject\nou: elsewhere\nref: ldap://127.0.0.1:${referTo}/ou=elsewhere,${people}`,
    `dn: ${adminGroups.member}\nobjectClass: groupOfNames\ncn: admins\nmember: uid=ada,${people}\nmember:: ${base64(strange.comma)}\nmember:: ${base64(strange.plus)}`,
    `dn: ${adminGroups.uniqueMember}\nobjectClass: groupOfUniqueNames\ncn: unique-admins\nuniqueMember: uid=ada,${people}`,
    `dn: ${adminGroups.memberUid}\nobjectClass: posixGroup\ncn: posix-admins\ngidNumber: 100\nmemberUid: ada`,
    `dn: ${adminGroups.memberOf}\nobjectClass: groupOfNames\ncn: computed\nmember: uid=nobody,${people}`,
    `dn: ${adminGroups.hidden}\nobjectClass: groupOfNames\ncn: hidden\nmember: uid=ada,${people}`,
  ].join('\n\n')}\n`;
