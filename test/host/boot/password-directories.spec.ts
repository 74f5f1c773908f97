// How the host uses password directories, the external sources of users that plugins provide (such as LDAP): it queries
// them one after another, each with a time limit, and validates their answers.
import { inspect } from 'node:util';
import t from 'tap';
import type { Log } from '#core/kernel/services/log';
import type { PasswordDirectory } from '#core/kernel/access/password-directories';
import { definePlugin, PLUGIN_API_VERSION } from '#host/plugin/definition';
import { passwordDirectories } from '#host/boot/password-directories';
import { Refused, bareHost } from '#host/sdk/testing';
import { contract, failures, gate } from '#test/contracts/checks';
import { passwordDirectoryChecks, type DirectoryUnderTest } from '#test/contracts/sign-in/password-directory';
import { sampleDirectory } from '#test/support/clients/sample-directory';

const ada = { username: 'ada', password: 'countess' };
const eve = { username: 'eve', password: 'dropper' };
const now = new Date('2030-01-01T00:00:00Z');
const from = { ip: '192.0.2.1', now, waitSeconds: 10 };

/** A directory in plain JavaScript, which may return anything. */
const answering = (check: (...given: unknown[]) => unknown): PasswordDirectory => ({ check }) as PasswordDirectory;

function rig(directories: Readonly<Record<string, PasswordDirectory>>) {
  const warnings: string[] = [];
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (details, message) => {
      const { plugin, reason } = details as { plugin: string; reason: string };
      warnings.push(`${plugin}: ${message ?? ''}: ${reason.split('\n')[0] ?? ''}`);
    },
    error: () => undefined,
  };
  const all = passwordDirectories({
    directories: () => Object.entries(directories).map(([plugin, provided]) => ({ plugin, provided })),
    log,
  });
  return { all, warnings };
}

const away = (name: string) => ({
  name: 'Unavailable',
  message: `The password directory "${name}" is not available`,
  detail: 'Try again later, or ask an administrator of this instance',
});

const people = { ada: { password: ada.password }, eve: { password: eve.password } };

const made = (directory: PasswordDirectory) => async () => ({
  provider: { directory, people: [ada, eve] } satisfies DirectoryUnderTest,
  dispose: async () => undefined,
});

void t.test('an in-memory directory', async (t) => {
  await contract(t, 'keeps the contract', passwordDirectoryChecks, made(sampleDirectory(people)));
});

void t.test('the contract suite finds mutants', async (t) => {
  const good = sampleDirectory(people);
  const names = passwordDirectoryChecks.map(({ name }) => name);
  const found = async (directory: PasswordDirectory): Promise<readonly string[]> =>
    failures(passwordDirectoryChecks, made(directory), 1_000);
  t.strictSame(await found(good), []);
  t.strictSame(await found({ check: async (username) => ({ username }) }), names.slice(2), 'accepts any password');
  t.strictSame(await found(answering(() => null)), names, 'null is not a valid answer');
  const flagged = answering(async (username, password) => {
    const user = await good.check(String(username), String(password), {
      ...from,
      signal: new AbortController().signal,
    });
    return user && { ...user, isAdmin: 'yes' };
  });
  t.strictSame(await found(flagged), names.slice(0, 1));
  const byObject: Record<string, string> = { ada: ada.password, eve: eve.password };
  const careless: PasswordDirectory = {
    check: async (username, password) =>
      Object.entries(byObject).some(([name, right]) => name.startsWith(username.replace('*', '')) && right === password)
        ? { username }
        : undefined,
  };
  t.strictSame(await found(careless), names.slice(3, 4), 'accepts a wildcard, or only the beginning of a username');
});

void t.test(
  'directories are queried in order until one accepts the username and password, and the result names its plugin',
  async (t) => {
    const first = sampleDirectory({ ada: { password: 'one' } });
    const second = sampleDirectory({
      'ada@example.org': {
        password: 'two',
        user: { username: 'ada', subject: '7', email: 'ada@example.org', displayName: '' },
      },
    });
    const { all, warnings } = rig({ first, second });
    t.strictSame(await all.find('ada', 'one', from), { directory: 'first', user: { username: 'ada' } });
    t.strictSame(second.asked, []);
    t.strictSame(await all.find('ada@example.org', 'two', from), {
      directory: 'second',
      user: { username: 'ada', subject: '7', email: 'ada@example.org', displayName: '' },
    });
    t.equal(await all.find('ada', 'three', from), undefined);
    t.strictSame(first.asked, ['ada', 'ada@example.org', 'ada']);
    t.strictSame(warnings, []);
  },
);

void t.test('a directory gets the client address and an abort signal', async (t) => {
  let heard: unknown[] = [];
  const { all } = rig({ curious: answering((...given) => void (heard = given)) });
  await all.find('ada', 'pass word', from);
  const { signal, ...rest } = heard[2] as { readonly signal: AbortSignal };
  t.strictSame([heard[0], heard[1], rest], ['ada', 'pass word', { ip: '192.0.2.1', now }]);
  t.equal(signal.aborted, false);
});

void t.test('no directory is queried for an empty password or an impossible name', async (t) => {
  const open = answering(async (username) => ({ username }));
  const { all } = rig({ open });
  for (const [username, password] of [
    ['ada', ''],
    ['', 'x'],
    ['a\0da', 'x'],
    ['ada\n', 'x'],
    ['x'.repeat(257), 'x'],
    [' ada', 'x'],
    ['ada ', 'x'],
    ['ada  l', 'x'],
    ['a\u00ADda', 'x'],
    ['a\u200Bda', 'x'],
  ] as const)
    t.equal(await all.find(username, password, from), undefined, JSON.stringify(username.slice(0, 9)));
  for (const username of ['x'.repeat(256), 'Ada Lovelace', 'CORP\\ada', 'ada@corp.example', 'Ｊürgen'])
    t.match(await all.find(username, ' ', from), { directory: 'open', user: { username } });
});

void t.test(
  'an answer that is neither a user nor undefined is rejected, and the log has the invalid member without its value',
  async (t) => {
    const shapes: readonly (readonly [unknown, RegExp])[] = [
      [true, /object/],
      [null, /object/],
      [false, /object/],
      ['ada', /object/],
      [1, /object/],
      [[], /object/],
      [[{ username: 'ada' }], /object/],
      [() => ({ username: 'ada' }), /object/],
      [{}, /"username" is required/],
      [{ username: '' }, /"username"/],
      [{ username: 7 }, /"username"/],
      [{ username: ['ada'] }, /"username"/],
      [{ username: new String('ada') }, /"username"/],
      [{ username: 'x'.repeat(1025) }, /"username"/],
      [{ username: 'ada', subject: '' }, /"subject"/],
      [{ username: 'ada', subject: 7 }, /"subject"/],
      [{ username: 'ada', email: null }, /"email"/],
      [{ username: 'ada', displayName: {} }, /"displayName"/],
      [{ username: 'ada', isAdmin: 'yes' }, /"isAdmin" must be a boolean/],
      [{ kind: 'user', id: 'u1', username: 'ada', isAdmin: true }, /is not allowed/],
      [
        Object.defineProperty({}, 'username', {
          enumerable: true,
          get: () => {
            throw new Error('got you');
          },
        }),
        /got you/,
      ],
    ];
    for (const [answer, flaw] of shapes) {
      const { all, warnings } = rig({ corp: answering(async () => answer) });
      const what = inspect(answer).slice(0, 60);
      await t.rejects(all.find('eve', 'secret', from), away('corp'), what);
      t.match(warnings[0], /^corp: a password directory gave no valid answer: /, what);
      t.match(warnings[0], flaw, what);
      t.notMatch(warnings[0], /xxxx|secret/);
      t.equal(warnings.length, 1);
    }
  },
);

void t.test('a directory whose check throws, or returns a promise that rejects, is unavailable', async (t) => {
  const thrown: readonly (() => unknown)[] = [
    () => {
      throw new Error('no network');
    },
    async () => {
      throw new Error('no network');
    },
    () => Promise.reject(Object.assign(new Error('no network'), { code: 'forbidden', kind: 'forbidden' })),
  ];
  for (const check of thrown) {
    const { all, warnings } = rig({ corp: answering(check) });
    await t.rejects(all.find('ada', 'x', from), away('corp'));
    t.strictSame(warnings, ['corp: a password directory gave no valid answer: Error: no network']);
  }
  const { all: odd, warnings: of } = rig({ corp: answering(() => Promise.reject({ password: 'x' })) });
  await t.rejects(odd.find('ada', 'x', from), away('corp'));
  t.strictSame(of, [
    'corp: a password directory gave no valid answer: it threw something of type object, which is no Error',
  ]);
  const { all } = rig({ corp: undefined as never });
  await t.rejects(all.find('ada', 'x', from), away('corp'), 'without a directory object');
});

void t.test('a directory that hangs is aborted after the time limit, and its later answer is ignored', async (t) => {
  const late = gate();
  let signal: AbortSignal | undefined;
  const hanging = answering(async (username, _password, given) => {
    ({ signal } = given as { readonly signal: AbortSignal });
    await late.passed;
    return { username };
  });
  const { all, warnings } = rig({ corp: hanging });
  await t.rejects(all.find('ada', 'x', { ...from, waitSeconds: 0.02 }), away('corp'));
  t.equal(signal?.aborted, true);
  t.strictSame(warnings, [
    'corp: a password directory gave no valid answer: TookTooLong: its check of a password took longer than 0.02 s',
  ]);
  late.open();
});

void t.test('a failing directory does not prevent a sign-in through another', async (t) => {
  const down = answering(() => Promise.reject(new Error('down')));
  const { all, warnings } = rig({ corp: down, annex: sampleDirectory(people), depot: down });
  t.match(await all.find('ada', ada.password, from), { directory: 'annex' });
  t.strictSame(warnings, ['corp: a password directory gave no valid answer: Error: down']);
  await t.rejects(all.find('ada', 'wrong', from), away('corp'), 'the first one that failed is named');
  t.equal(warnings.length, 3);
});

void t.test('without directories no user is found', async (t) => {
  t.equal(await rig({}).all.find('ada', 'x', from), undefined);
});

void t.test(
  'a plugin whose directory is no object with a `check` function does not start, and the problem names the plugin',
  async (t) => {
    const lacking = {
      message: 'what it provides as PasswordDirectory has no method "check"',
      remedy: 'Mend the cause, or disable the plugin with HEXFORGE_PLUGINS=-corp',
    };
    const nothing = (kind: string) => ({
      message: `its \`provides\` returned ${kind} for the port PasswordDirectory`,
      remedy: 'Return the object that implements the port, and no promise of it',
    });
    for (const [provided, { message, remedy }] of [
      [{}, lacking],
      [{ check: 'ada' }, lacking],
      [null, nothing('null')],
      [undefined, nothing('undefined')],
    ] as const) {
      const plugin = definePlugin({
        name: 'corp',
        version: '1.0.0',
        api: `^${PLUGIN_API_VERSION}`,
        provides: { PasswordDirectory: () => provided as never },
      });
      await t.rejects(
        bareHost([plugin]),
        new Refused([
          {
            code: 'plugin_build_failed',
            plugin: 'corp',
            message: `Plugin "corp" did not build: ${message}`,
            remedy,
          },
        ]),
      );
    }
  },
);
