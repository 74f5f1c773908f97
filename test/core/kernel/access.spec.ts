// The access decision: every kind of rule with every kind of caller.
import t from 'tap';
import {
  accessDecision,
  admin,
  anyone,
  changes,
  reads,
  session,
  signedIn,
  superAdmin,
  type AccessRule,
  type ResourceResolver,
  type Standing,
} from '#core/kernel/access/access';
import { anyAdmin } from '#core/kernel/access/admin-grants';
import { anonymous, type Call, type Caller, type Credential } from '#core/kernel/caller';
import { HexforgeError, InsufficientScope, Unauthorized } from '#core/kernel/errors';
import { scopeCatalogue, type ScopeName } from '#core/kernel/access/scopes';

declare module '#core/kernel/access/access' {
  interface Resources {
    vault: { readonly number: number };
  }
  interface Permissions {
    'vault.look': 'vault';
    'vault.open': 'vault';
  }
}

const row = (name: string) => name as ScopeName;
const scopes = scopeCatalogue([
  { name: row('vault:look'), pat: 'vault:look', oauth: 'look:vault' },
  { name: row('vault:open'), pat: 'vault:open', oauth: 'open:vault', includes: [row('vault:look')] },
  { name: row('vault:pat-only'), pat: 'vault:pat' },
  { name: row('vault:none') },
]);

const user = (credential: Partial<Credential> = {}, isAdmin = false): Caller => ({
  kind: 'user',
  id: 'u1',
  username: 'ann',
  isAdmin,
  credential: { kind: 'session', id: 'c1', scopes: 'all', via: 'bearer', ...credential },
});
const callOf = (caller: Caller): Call => ({
  caller,
  requestId: 'r',
  ip: '::1',
  userAgent: '',
  signal: new AbortController().signal,
  now: new Date(0),
  renew: async () => callOf(caller),
});
const callers = {
  anonymous,
  session: user(),
  password: user({ kind: 'password' }),
  admin: user({}, true),
  'admin by token': user({ kind: 'pat', scopes: [] }, true),
  'pat look': user({ kind: 'pat', scopes: ['vault:look'] }),
  'pat open': user({ kind: 'pat', scopes: ['vault:open'] }),
  'oauth look': user({ kind: 'oauth', scopes: ['look:vault'] }),
  'oauth open': user({ kind: 'oauth', scopes: ['open:vault'] }),
  'oauth pat-scope': user({ kind: 'oauth', scopes: ['vault:look', 'vault:open'] }),
  'pat open admin:users': user({ kind: 'pat', scopes: ['vault:open', 'admin:users'] }),
  'pat open admin:system': user({ kind: 'pat', scopes: ['vault:open', 'admin:system'] }),
  'oauth with every scope': user({ kind: 'oauth', scopes: ['open:vault', 'admin:system', 'admin:repo_roles'] }),
  'admin by oauth': user({ kind: 'oauth', scopes: ['admin:system'] }, true),
  'admin by system token': user({ kind: 'pat', scopes: ['admin:system'] }, true),
  'oauth elsewhere': user({ kind: 'oauth', scopes: ['open:vault'], audience: 'https://other' }),
} as const satisfies Record<string, Caller>;
type Who = keyof typeof callers;

/** A resolver of a vault with the given standing, which counts its lookups. */
function vault(
  standing: (Pick<Standing<unknown>, 'readable'> & { readonly holds: readonly string[] }) | undefined,
): ResourceResolver & { lookups: number } {
  const found = {
    lookups: 0,
    async vault(): Promise<Standing<never> | undefined> {
      found.lookups++;
      return standing === undefined
        ? undefined
        : {
            resource: { number: 7 } as never,
            readable: standing.readable,
            may: (permission) => standing.holds.includes(permission),
          };
    },
  };
  return found;
}

async function outcome(
  rule: AccessRule,
  who: Who,
  options: { readonly scope?: string; readonly resolver?: ResourceResolver; readonly granted?: readonly string[] } = {},
): Promise<string> {
  const decision = accessDecision({
    isPermission: () => true,
    scopes,
    adminGrants: () => (options.granted === undefined ? undefined : { scopesOf: async () => options.granted ?? [] }),
    resolvers: () => (options.resolver === undefined ? [] : [options.resolver]),
  });
  try {
    await decision.decide(callOf(callers[who]), rule, options.scope === undefined ? undefined : row(options.scope), {});
    return 'yes';
  } catch (error) {
    return error instanceof HexforgeError ? error.code : String(error);
  }
}

void t.test('rules without a resource', async (t) => {
  const table: readonly (readonly [string, AccessRule, Partial<Record<Who, string>>])[] = [
    ['anyone', anyone, { anonymous: 'yes', session: 'yes', 'pat look': 'yes', 'oauth elsewhere': 'invalid_audience' }],
    [
      'signed in',
      signedIn,
      {
        anonymous: 'unauthorized',
        session: 'yes',
        password: 'yes',
        'pat look': 'yes',
        'oauth look': 'yes',
        'oauth elsewhere': 'invalid_audience',
      },
    ],
    [
      'session',
      session,
      {
        anonymous: 'unauthorized',
        session: 'yes',
        password: 'yes',
        'pat open': 'forbidden',
        'oauth open': 'forbidden',
        'admin by token': 'forbidden',
        admin: 'yes',
      },
    ],
    [
      'super-admin',
      superAdmin,
      {
        anonymous: 'unauthorized',
        session: 'forbidden',
        'pat open': 'insufficient_scope',
        'pat open admin:system': 'forbidden',
        admin: 'yes',
        'admin by system token': 'yes',
      },
    ],
    ['admin', admin('admin:users'), { anonymous: 'unauthorized', session: 'forbidden', admin: 'yes' }],
  ];
  for (const [name, rule, expected] of table) {
    for (const [who, answer] of Object.entries(expected))
      t.equal(await outcome(rule, who as Who), answer, `${name}: ${who}`);
  }
});

void t.test('admin scopes are granted individually, and a rule needs all of its scopes', async (t) => {
  const rule = admin('admin:users', 'admin:audit_read');
  t.equal(await outcome(rule, 'session', { granted: ['admin:users', 'admin:audit_read'] }), 'yes');
  t.equal(await outcome(rule, 'session', { granted: ['admin:users'] }), 'forbidden');
  t.equal(await outcome(rule, 'session', { granted: [] }), 'forbidden');
  const decision = accessDecision({
    isPermission: () => true,
    scopes,
    adminGrants: () => ({ scopesOf: async () => ['admin:users'] }),
    resolvers: () => [],
  });
  await t.rejects(decision.decide(callOf(callers.session), rule, undefined, {}), {
    message: 'admin scope required: admin:audit_read',
  });
});

void t.test('a token needs the scope in addition to the permission, also a token of an administrator', async (t) => {
  const all: readonly Who[] = [
    'anonymous',
    'session',
    'password',
    'pat look',
    'pat open',
    'oauth look',
    'oauth open',
    'oauth pat-scope',
    'admin by token',
  ];
  const refused: Record<string, readonly Who[]> = {
    'vault:look': ['oauth pat-scope', 'admin by token'],
    'vault:open': ['pat look', 'oauth look', 'oauth pat-scope', 'admin by token'],
    'vault:pat-only': ['pat look', 'pat open', 'oauth look', 'oauth open', 'oauth pat-scope', 'admin by token'],
    'vault:none': ['pat look', 'pat open', 'oauth look', 'oauth open', 'oauth pat-scope', 'admin by token'],
  };
  for (const [scope, losers] of Object.entries(refused)) {
    for (const who of all)
      t.equal(
        await outcome(anyone, who, { scope }),
        losers.includes(who) ? 'insufficient_scope' : 'yes',
        `${scope}: ${who}`,
      );
  }
  const decision = accessDecision({
    scopes,
    adminGrants: () => undefined,
    isPermission: () => true,
    resolvers: () => [],
  });
  const missing = (who: Who, scope: string) =>
    decision.decide(callOf(callers[who]), anyone, row(scope), {}).then(
      () => undefined,
      (error: unknown) => (error instanceof InsufficientScope ? error.scope : error),
    );
  t.equal(await missing('pat look', 'vault:open'), 'vault:open', 'named as in tokens of this kind');
  t.equal(await missing('oauth look', 'vault:open'), 'open:vault');
  t.match(
    await missing('oauth open', 'vault:pat-only'),
    { kind: 'forbidden', code: 'insufficient_scope' },
    'no OAuth2 scope would satisfy it',
  );
});

void t.test('a resource: who may know of it, read it and change it', async (t) => {
  const kind = 'vault';
  const read = reads(kind, 'vault.look');
  const read401 = reads(kind, 'vault.look', { anonymous: 401 });
  const change = changes(kind, 'vault.open');
  const plain = changes(kind, 'vault.open', { hidden: 403, lacking: 404 });
  const standings = {
    absent: undefined,
    hidden: { readable: false, holds: [] },
    'hidden with permission': { readable: false, holds: ['vault.look', 'vault.open'] },
    readable: { readable: true, holds: ['vault.look'] },
    'readable without': { readable: true, holds: [] },
    open: { readable: true, holds: ['vault.look', 'vault.open'] },
  } as const;
  const table: readonly (readonly [string, AccessRule, keyof typeof standings, string, string])[] = [
    // The columns: rule, standing, anonymous, session
    ['read', read, 'absent', 'not_found', 'not_found'],
    ['read', read, 'hidden', 'not_found', 'not_found'],
    ['read', read, 'hidden with permission', 'not_found', 'not_found'],
    ['read', read, 'readable', 'yes', 'yes'],
    ['read', read, 'readable without', 'not_found', 'forbidden'],
    ['read or 401', read401, 'absent', 'unauthorized', 'not_found'],
    ['read or 401', read401, 'hidden', 'unauthorized', 'not_found'],
    ['read or 401', read401, 'readable', 'yes', 'yes'],
    ['change', change, 'absent', 'unauthorized', 'not_found'],
    ['change', change, 'hidden', 'unauthorized', 'not_found'],
    ['change', change, 'readable', 'unauthorized', 'forbidden'],
    ['change', change, 'open', 'unauthorized', 'yes'],
    ['change openly', plain, 'absent', 'unauthorized', 'not_found'],
    ['change openly', plain, 'hidden', 'unauthorized', 'forbidden'],
    ['change openly', plain, 'readable', 'unauthorized', 'not_found'],
  ];
  for (const [name, rule, standing, forAnonymous, forSession] of table) {
    t.equal(
      await outcome(rule, 'anonymous', { resolver: vault(standings[standing]) }),
      forAnonymous,
      `${name}, ${standing}: anonymous`,
    );
    t.equal(
      await outcome(rule, 'session', { resolver: vault(standings[standing]) }),
      forSession,
      `${name}, ${standing}: session`,
    );
  }
});

void t.test(
  'a rule with an admin scope allows its holder this operation only, and only on an existing resource',
  async (t) => {
    const delegated = changes('vault', 'vault.open', { orAdminScope: 'admin:repo_roles' });
    const hidden = vault({ readable: false, holds: [] });
    const holder = { resolver: hidden, granted: ['admin:repo_roles'] };
    t.equal(await outcome(delegated, 'session', holder), 'yes');
    t.equal(await outcome(delegated, 'session', { resolver: hidden, granted: ['admin:users'] }), 'not_found');
    t.equal(await outcome(delegated, 'session', { resolver: hidden }), 'not_found', 'no grants are stored');
    t.equal(
      await outcome(delegated, 'session', { resolver: vault({ readable: true, holds: ['vault.look'] }), granted: [] }),
      'forbidden',
    );
    t.equal(await outcome(delegated, 'anonymous', holder), 'unauthorized');
    t.equal(
      await outcome(delegated, 'pat look', { ...holder, scope: 'vault:open' }),
      'insufficient_scope',
      'a token still needs its scope',
    );
    t.equal(
      await outcome(delegated, 'session', { resolver: vault(undefined), granted: ['admin:repo_roles'] }),
      'not_found',
    );
    t.equal(
      await outcome(changes('vault', 'vault.open'), 'session', holder),
      'not_found',
      'a rule without an admin scope',
    );
  },
);

void t.test('beside a permission, an admin scope counts for a session and for a token with admin:system', async (t) => {
  const expected: Partial<Record<Who, string>> = {
    session: 'yes',
    password: 'yes',
    'pat open': 'not_found',
    'pat open admin:users': 'not_found',
    'pat open admin:system': 'yes',
    'oauth open': 'not_found',
    'oauth with every scope': 'not_found',
  };
  for (const orAdminScope of ['admin:repo_roles', 'admin:users'])
    for (const [who, answer] of Object.entries(expected)) {
      const rule = changes('vault', 'vault.open', { orAdminScope });
      const hidden = { resolver: vault({ readable: false, holds: [] }), granted: [orAdminScope], scope: 'vault:open' };
      t.equal(await outcome(rule, who as Who, hidden), answer, `${orAdminScope}: ${who}`);
      const readable = { ...hidden, resolver: vault({ readable: true, holds: ['vault.look'] }) };
      const lacking = answer === 'yes' ? 'yes' : 'forbidden';
      t.equal(await outcome(rule, who as Who, readable), lacking, `${orAdminScope}, readable: ${who}`);
    }
});

void t.test('a rule of administrators that names no token scope needs admin:system of a token', async (t) => {
  const granted = ['admin:users'];
  for (const rule of [admin('admin:users'), superAdmin])
    for (const [who, answer] of [
      ['admin', 'yes'],
      ['admin by system token', 'yes'],
      ['admin by token', 'insufficient_scope'],
      ['admin by oauth', 'insufficient_scope'],
      ['oauth with every scope', 'insufficient_scope'],
    ] as const)
      t.equal(await outcome(rule, who, { granted }), answer, `${rule.who}: ${who}`);
});

void t.test('a rule of any admin scope is satisfied by one of them', async (t) => {
  for (const granted of [['admin:users'], ['admin:audit_read', 'admin:roles']])
    t.equal(await outcome(anyAdmin, 'session', { granted }), 'yes', granted.join());
  for (const granted of [[], ['admin:of_another_version']])
    t.equal(await outcome(anyAdmin, 'session', { granted }), 'forbidden', granted.join());
  t.equal(await outcome(anyAdmin, 'admin', {}), 'yes');
  t.equal(await outcome(anyAdmin, 'anonymous', {}), 'unauthorized');
});

void t.test('no resource is looked up for a caller that is rejected anyway', async (t) => {
  const resolver = vault({ readable: true, holds: ['vault.look', 'vault.open'] });
  t.equal(await outcome(changes('vault', 'vault.open'), 'anonymous', { resolver }), 'unauthorized');
  t.equal(
    await outcome(changes('vault', 'vault.open'), 'pat look', { resolver, scope: 'vault:open' }),
    'insufficient_scope',
  );
  t.equal(await outcome(reads('vault', 'vault.look'), 'oauth elsewhere', { resolver }), 'invalid_audience');
  t.equal(resolver.lookups, 0);
  t.equal(await outcome(reads('vault', 'vault.look'), 'anonymous', { resolver }), 'yes');
  t.equal(resolver.lookups, 1, 'once for a caller that is not');
});

void t.test('`Granted` has the resource, the call and further permissions', async (t) => {
  const decision = accessDecision({
    isPermission: () => true,
    scopes,
    adminGrants: () => undefined,
    resolvers: () => [vault({ readable: true, holds: ['vault.look'] })],
  });
  const call = callOf(callers.session);
  const granted = await decision.decide(call, reads('vault', 'vault.look'), undefined, {});
  t.strictSame(granted.resource, { number: 7 });
  t.equal(granted.call, call);
  t.equal(granted.may('vault.look'), true);
  t.equal(granted.may('vault.open'), false);
});

void t.test('a permission that no plugin contributes is denied to every caller', async (t) => {
  const decision = accessDecision({
    scopes,
    adminGrants: () => ({ scopesOf: async () => ['admin:vaults'] }),
    isPermission: (name) => name === 'vault.open',
    resolvers: () => [vault({ readable: true, holds: [] })],
  });
  const rule = changes('vault', 'vault.open', { orAdminScope: 'admin:vaults' });
  const granted = await decision.decide(callOf(callers.session), rule, undefined, {});
  t.equal(granted.may('vault.open'), true);
  t.equal(granted.may('vault.opne'), false);
});

void t.test('an access recheck uses the current credential, resource and permission', async (t) => {
  let now: { readonly caller: Caller; readonly id: number; readonly holds: readonly string[] } | undefined;
  const begun = { caller: callers['pat open'], id: 1, holds: ['vault.open'] };
  const resolver: ResourceResolver = {
    vault: async () => {
      const { id, holds } = now ?? begun;
      return { resource: { number: 7, id } as never, readable: true, may: (name) => holds.includes(name) };
    },
  };
  const decision = accessDecision({
    scopes,
    adminGrants: () => undefined,
    isPermission: () => true,
    resolvers: () => [resolver],
  });
  const at = (): Call => {
    const { caller } = now ?? begun;
    if (caller.kind === 'anonymous') throw new Unauthorized('The credential is not valid');
    return { ...callOf(caller), renew: async () => at() };
  };
  const table: readonly (readonly [string, NonNullable<typeof now>, string])[] = [
    ['the same', begun, 'yes'],
    ['another credential of the user', { ...begun, caller: callers.session }, 'yes'],
    ['the credential was revoked', { ...begun, caller: anonymous }, 'unauthorized'],
    ['the credential has fewer scopes', { ...begun, caller: callers['pat look'] }, 'insufficient_scope'],
    ['the permission was removed', { ...begun, holds: [] }, 'forbidden'],
    ['another resource has the name', { ...begun, id: 2 }, 'not_found'],
  ];
  for (const [what, then, expected] of table) {
    now = undefined;
    const call = at();
    const granted = await decision.decide(call, changes('vault', 'vault.open'), row('vault:open'), {});
    const other = at();
    await decision.decide(other, signedIn, row('vault:open'), {});
    now = then;
    const [one, all] = [granted.renew(), decision.renew(call)].map((asked) =>
      asked.then(
        () => 'yes',
        (error: unknown) => (error instanceof HexforgeError ? error.code : String(error)),
      ),
    );
    t.equal(await one, expected, what);
    t.equal(await all, expected, `${what}: all decisions of the call`);
    if (expected !== 'yes') continue;
    t.equal((await granted.renew()).call.caller, then.caller);
    await decision.renew(other);
  }
});

void t.test(
  'a copy of a call rechecks the decisions made before it was copied, and adds none to the call',
  async (t) => {
    let holds = ['vault.look', 'vault.open'];
    const decision = accessDecision({
      scopes,
      adminGrants: () => undefined,
      isPermission: () => true,
      resolvers: () => [
        { vault: async () => ({ resource: { number: 7 }, readable: true, may: (name) => holds.includes(name) }) },
      ],
    });
    const call: Call = { ...callOf(callers.session), renew: async () => callOf(callers.session) };
    await decision.decide(call, reads('vault', 'vault.look'), row('vault:look'), {});
    const copy = { ...call };
    const bare = { ...call };
    await decision.decide(copy, changes('vault', 'vault.open'), row('vault:open'), {});
    holds = ['vault.look'];
    await t.resolves(decision.renew(call));
    await t.rejects(decision.renew(copy), { code: 'forbidden' });
    holds = [];
    await t.rejects(decision.renew(bare), { code: 'forbidden' });
  },
);

void t.test('a resource kind without a resolver is not found', async (t) => {
  t.equal(await outcome(reads('vault', 'vault.look'), 'admin'), 'not_found');
});
