// Rules of merge requests as pure functions: the commit that merged a head, required pipelines, and names of sources.
import t from 'tap';
import { broughtBy } from '#core/merges/model/brought';
import { branchTip, sourceParts } from '#core/merges/model/branches';
import { checkPair, checkTitle } from '#core/merges/requests/fields';
import { checkPipeline, pipelineRefusal, pipelineVerdicts, verdictsOf } from '#core/merges/index';
import { zeroOid } from '#core/repositories/index';

void t.test('finds the commit of a branch that merged a head', (t) => {
  // main: old - a - m1 (topic) - m2 (nested, through side) - tip; newest first, as git lists them.
  const commits = [
    { oid: 'tip', parents: ['m2'] },
    { oid: 'm2', parents: ['m1', 'side'] },
    { oid: 'side', parents: ['a', 'nested'] },
    { oid: 'nested', parents: ['old'] },
    { oid: 'm1', parents: ['a', 'topic'] },
    { oid: 'topic', parents: ['first'] },
    { oid: 'first', parents: ['old'] },
    { oid: 'a', parents: ['old'] },
  ];
  const heads = ['topic', 'first', 'nested', 'side', 'a', 'tip', 'm1', 'old', 'elsewhere'];
  t.strictSame(Object.fromEntries(broughtBy('tip', commits, heads)), {
    topic: 'm1',
    first: 'm1',
    nested: 'm2',
    side: 'm2',
    a: 'a',
    tip: 'tip',
    m1: 'm1',
  });
  t.equal(broughtBy('tip', [], ['topic']).size, 0, 'a history that was not read');
  const long = Array.from({ length: 50_000 }, (_, index) => ({ oid: `c${index}`, parents: [`c${index + 1}`] }));
  t.equal(broughtBy('c0', long, ['c49999']).get('c49999'), 'c49999', 'a long linear history');
  t.end();
});

void t.test('a source is named OWNER:BRANCH or BRANCH', (t) => {
  t.strictSame(sourceParts('topic'), { owner: undefined, branch: 'topic' });
  t.strictSame(sourceParts('feature/one'), { owner: undefined, branch: 'feature/one' });
  t.strictSame(sourceParts('bob:feature/one'), { owner: 'bob', branch: 'feature/one' });
  t.strictSame(sourceParts(':x'), { owner: '', branch: 'x' });
  t.strictSame(sourceParts('a:b:c'), { owner: 'a', branch: 'b:c' });
  t.strictSame(sourceParts('a:'), { owner: 'a', branch: '' });
  t.end();
});

void t.test('the tip of a branch', async (t) => {
  const asked: (readonly string[])[] = [];
  const git = {
    isLegalName: (_: string, name: string) => name !== 'a..b',
    readRefs: async (_: string, names: readonly string[]) => {
      asked.push(names);
      return names.map((name) => (name === 'refs/heads/main' ? 'tip' : zeroOid));
    },
  };
  t.equal(await branchTip(git, 'r', 'main'), 'tip');
  t.equal(await branchTip(git, 'r', 'none'), undefined);
  t.equal(await branchTip(git, 'r', 'a..b'), undefined);
  t.strictSame(
    asked,
    [['refs/heads/main'], ['refs/heads/none']],
    'git is not called for a name that no branch can have',
  );
});

void t.test('titles and pairs of branches are validated', (t) => {
  t.equal(checkTitle(' x'), ' x');
  for (const title of ['', ' ', '\n\t']) t.throws(() => checkTitle(title), { kind: 'validation_failed', message: /./ });
  const pair = { repositoryId: 'r', sourceRepositoryId: 'r', sourceBranch: 'a', targetBranch: 'a' };
  t.throws(() => checkPair(pair), { kind: 'validation_failed', message: /./ });
  t.doesNotThrow(() => checkPair({ ...pair, targetBranch: 'b' }));
  t.doesNotThrow(() => checkPair({ ...pair, sourceRepositoryId: 'fork' }), 'the same name in a fork is another branch');
  t.doesNotThrow(() => checkPair({ ...pair, sourceRepositoryId: undefined }));
  t.end();
});

void t.test('a pipeline that a rule requires', async (t) => {
  const requiring = { requiredPipeline: { onOpen: true, onMerge: false } };
  const codes = pipelineVerdicts.map((verdict) => pipelineRefusal(requiring, 'onOpen', verdict)?.code);
  t.strictSame(codes, [
    'pipeline_missing',
    'pipeline_pending',
    'pipeline_pending',
    undefined,
    'pipeline_failed',
    'pipeline_failed',
  ]);
  t.equal(pipelineRefusal(requiring, 'onMerge', 'failed'), undefined, 'required at another time');
  t.equal(pipelineRefusal(undefined, 'onOpen', 'failed'), undefined, 'a branch without protection');
  t.throws(() => checkPipeline(requiring, 'onOpen', 'none'), {
    kind: 'conflict',
    message: /./,
    code: 'pipeline_missing',
  });
  t.doesNotThrow(() => checkPipeline(requiring, 'onOpen', 'success'));

  const absent = await verdictsOf(undefined, 'r', ['a']);
  t.equal(absent('a'), 'none', 'no pipeline provider');
  const asked: (readonly string[])[] = [];
  const provider = {
    verdicts: async (_: string, commits: readonly string[]) => {
      asked.push(commits);
      return new Map([['a', 'running' as const]]);
    },
  };
  const known = await verdictsOf(provider, 'r', ['a', 'b', 'a']);
  t.strictSame([known('a'), known('b')], ['running', 'none']);
  await verdictsOf(provider, 'r', []);
  t.strictSame(asked, [['a', 'b']], 'one call for all of them, no call for an empty list');
});
