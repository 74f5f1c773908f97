// Rules of repositories as pure functions: names, issue codes, visibility, roles, and which interrupted pushes landed.
import t from 'tap';
import { HexforgeError } from '#core/kernel/errors';
import {
  checkDescription,
  checkIssueCode,
  checkName,
  isRepositoryName,
  languageOf,
  wishedVisibility,
  zeroOid,
  type Repository,
  type RefUpdate,
} from '#core/repositories/index';
import { judgeNames } from '#core/repositories/push/ref-policy';
import { landed } from '#core/repositories/push/record-push';
import { roleTable } from '#core/repositories/model/roles';
import { FakeGit, oid } from './fake-git.ts';
import { refusal } from './world.ts';

const refused = refusal('validation_failed');

void t.test('a repository name follows the character rule', async (t) => {
  for (const name of ['a', 'A1', 'hello-world_2.0', '0', 'x'.repeat(100), 'a.gitx', 'console'])
    t.equal(isRepositoryName(name), true, name);
  for (const name of [
    '',
    '.',
    '..',
    '-x',
    '_x',
    '.x',
    'x.',
    'x.git',
    'x.GIT',
    'x'.repeat(101),
    'a/b',
    'a b',
    'a\\b',
    'a\u0000b',
    'ä',
    'a%2e',
    '\u212Aelvin',
    'con',
    'NUL.txt',
    'com1',
    'a\n',
  ]) {
    t.equal(isRepositoryName(name), false, JSON.stringify(name));
    t.throws(() => checkName(name), refused);
  }
});

void t.test('an issue code is 2 to 10 uppercase alphanumerics beginning with a letter, or empty', async (t) => {
  for (const code of ['', 'AB', 'A1', 'ABCDEFGHIJ']) t.equal(checkIssueCode(code), code);
  for (const code of ['A', 'ab', '1A', 'ABCDEFGHIJK', 'A-B', 'ÄB', 'AB\n'])
    t.throws(() => checkIssueCode(code), refused, JSON.stringify(code));
});

void t.test('a description has no NUL and at most 1000 characters', async (t) => {
  t.equal(checkDescription('x'.repeat(1000)).length, 1000);
  t.throws(() => checkDescription('x'.repeat(1001)), refused);
  t.throws(() => checkDescription('a\u0000'), refused);
});

void t.test('visibility follows from visibility, then is_private, then the current one', async (t) => {
  const table = [
    // The columns: visibility, is_private, current, result
    [undefined, undefined, 'private', 'private'],
    [undefined, undefined, 'internal', 'internal'],
    ['public', true, 'private', 'public'],
    ['internal', false, 'private', 'internal'],
    [undefined, true, 'public', 'private'],
    [undefined, true, 'internal', 'private'],
    [undefined, false, 'private', 'public'],
    [undefined, false, 'public', 'public'],
    // Writing back the values that were read does not make an internal repository public.
    [undefined, false, 'internal', 'internal'],
  ] as const;
  for (const [visibility, isPrivate, current, result] of table)
    t.equal(wishedVisibility({ visibility, isPrivate }, current), result, `${visibility} ${isPrivate} ${current}`);
});

void t.test('the role table combines the contributions of plugins, without permissions of the owner', async (t) => {
  const table = roleTable([
    { name: 'repo.read', from: 'read' },
    { name: 'label.create', from: 'triage' },
    { name: 'repo.write', from: 'write' },
    { name: 'branch.protect', from: 'maintain' },
    { name: 'repo.admin', from: 'admin' },
    { name: 'repo.own', from: 'owner' },
  ]);
  t.same([...table.of('read')], ['repo.read']);
  t.same([...table.of('write')], ['repo.read', 'label.create', 'repo.write']);
  t.same([...table.of('admin')], ['repo.read', 'label.create', 'repo.write', 'branch.protect', 'repo.admin']);
  t.same(
    [...table.permissionsOf({ role: 'auditor', permissions: ['repo.read', 'of.a.disabled.plugin', 'repo.own'] })],
    ['repo.read'],
    'a custom role has the declared permissions, and never those of the owner',
  );
  t.same(
    [...table.permissionsOf({ role: 'triage', permissions: ['repo.admin'] })],
    ['repo.read', 'label.create'],
    'a role of the table has no additional permissions',
  );
});

void t.test('a language is derived from the file name', async (t) => {
  for (const [path, lang] of [
    ['src/a.ts', 'typescript'],
    ['A.PY', 'python'],
    ['x/Dockerfile', 'dockerfile'],
    ['README', ''],
    ['a.constructor', ''],
    ['constructor', ''],
    ['.gitignore', ''],
  ] as const)
    t.equal(languageOf(path), lang, path);
});

void t.test('interrupted pushes landed if they lead to the current value of the ref', async (t) => {
  const [a, b, c] = [oid('a'), oid('b'), oid('c')];
  const update = (old: string, next: string, ref = 'refs/heads/main'): RefUpdate => ({ ref, old, new: next });
  const at = (id: string) => new Map([['refs/heads/main', id]]);
  t.same(landed([update(a, b)], at(b)), [update(a, b)], 'the ref has the new value of the push');
  t.same(landed([update(a, b)], at(a)), [], 'it never moved');
  t.same(landed([update(a, b)], at(c)), [], 'it has another value');
  t.same(
    landed([update(b, c), update(a, b)], at(c)),
    [update(a, b), update(b, c)],
    'two pushes of one ref, in the order in which they landed',
  );
  t.same(landed([update(a, b), update(a, c)], at(b)), [update(a, b)], 'of two concurrent pushes only the winner');
  t.same(landed([update(a, a)], at(a)), [], 'an update without a change did not land');
  t.same(landed([update(a, zeroOid)], new Map()), [update(a, zeroOid)], 'a deletion');
  t.same(landed([update(a, b), update(b, a)], at(a)), [update(a, b), update(b, a)], 'there and back');
  let looks = 0;
  const many = Array.from({ length: 2000 }, (_, index) => ({
    get ref() {
      looks += 1;
      return `refs/tags/t${index}`;
    },
    old: zeroOid,
    new: a,
  }));
  t.equal(landed(many, new Map(many.map(({ ref }) => [ref, a]))).length, many.length);
  t.ok(looks <= 3 * many.length, 'each ref is read a bounded number of times, however many a push has');
});

void t.test(
  'a push to reserved refs, a bad name or a deletion of the default branch is rejected per ref, with a sentence',
  async (t) => {
    const repository = { defaultBranch: 'main' } as Repository;
    const judge = (ref: string, next = oid('n')): string | undefined =>
      judgeNames(new FakeGit(), repository, [{ ref, old: oid('o'), new: next }])[0]?.refusal;
    t.match(judge('refs/hexforge/merges/1'), /kept for the forge/);
    for (const ref of ['refs/merges', 'refs/merges/1/head', 'refs/merges/x'])
      for (const next of [oid('n'), zeroOid]) t.match(judge(ref, next), /kept for merge requests/, ref);
    t.equal(judge('refs/heads/merges/1/head'), undefined, 'a branch is not the head of a request');
    t.match(judge('refs/heads/-x'), /branch name is not allowed/);
    t.match(judge('refs/heads/HEAD'), /not "HEAD"/, 'the remedy fits the name');
    t.match(judge('refs/tags/--exec'), /tag name is not allowed/);
    t.match(judge('refs/heads/main', zeroOid), /default branch cannot be deleted/);
    t.equal(judge('refs/heads/-old', zeroOid), undefined, 'a bad name may be deleted');
    for (const ref of ['refs/heads/main', 'refs/heads/a/b', 'refs/tags/v1', 'refs/notes/commits'])
      t.equal(judge(ref), undefined, ref);
    const mixed = judgeNames(new FakeGit(), repository, [
      { ref: 'refs/hexforge/x', old: zeroOid, new: oid(1) },
      { ref: 'refs/heads/x', old: zeroOid, new: oid(1) },
    ]);
    t.same(
      mixed.map(({ ref, refusal }) => [ref, refusal === undefined]),
      [
        ['refs/hexforge/x', false],
        ['refs/heads/x', true],
      ],
    );
  },
);

void t.test('rejections are typed errors', async (t) => {
  try {
    checkName('-');
    t.fail('not rejected');
  } catch (error) {
    t.ok(error instanceof HexforgeError && error.detail?.startsWith('"name"'));
  }
});
