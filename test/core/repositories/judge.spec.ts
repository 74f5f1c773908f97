// The judge of a push: access that is lost during the push, and the cost and audit entries of deletions by push.
import t from 'tap';
import { zeroOid, type Repository } from '#core/repositories/index';
import { oid } from './fake-git.ts';
import { alice, bob, refusal, root, world, type World } from './world.ts';

interface Start {
  readonly forge: World;
  readonly repository: Repository;
  readonly tip: string;
}

async function start(t: { teardown(work: () => Promise<void>): unknown }): Promise<Start> {
  const forge = await world();
  t.teardown(() => forge.close());
  const repository = await forge.useCases.create(forge.as(alice), { name: 'a' });
  await collaborate(forge, repository);
  return { forge, repository, tip: forge.git.commit(repository.id, 'refs/heads/main', {}) };
}

const collaborate = ({ storage, collaborators }: World, { id }: Repository, role = 'write'): Promise<unknown> =>
  storage.unitOfWork.run(() => collaborators.put(id, bob.id, { role, permissions: [] }, new Date()));
const refsOf = ({ git }: World, { id }: Repository): ReadonlyMap<string, string> =>
  git.repositories.get(id)?.refs ?? new Map();
const own = ({ granted }: World, repository: Repository) => granted(alice, 'repo.own', repository);

/** The ways in which bob loses access during his push, and the reason that he gets. */
const losses: readonly [string, (start: Start) => Promise<unknown>, RegExp][] = [
  ['his credential is revoked', async ({ forge }) => forge.lost.add(bob), /credential is not valid any more/],
  [
    'he is removed as a collaborator',
    ({ forge, repository }) => forge.storage.unitOfWork.run(() => forge.collaborators.remove(repository.id, bob.id)),
    /not here any more, or not yours to see/,
  ],
  [
    'his role becomes read-only',
    ({ forge, repository }) => collaborate(forge, repository, 'triage'),
    /may not push here any more/,
  ],
  [
    'the repository is renamed',
    async ({ forge, repository }) => forge.useCases.update(await own(forge, repository), { name: 'b' }),
    /not here any more/,
  ],
  [
    'another repository gets the name',
    async ({ forge, repository }) => {
      await forge.useCases.update(await own(forge, repository), { name: 'b' });
      await collaborate(forge, await forge.useCases.create(forge.as(alice), { name: 'a' }));
    },
    /not here any more/,
  ],
];

void t.test('a push whose caller lost access moves no ref, and git prints the reason', async (t) => {
  for (const [what, lose, sentence] of losses) {
    const begun = await start(t);
    const { forge, repository, tip } = begun;
    forge.git.whileReceiving = () => lose(begun);
    const told = await forge.push(bob, repository, [
      { ref: 'refs/heads/main', old: tip, new: oid('n') },
      { ref: 'refs/heads/new', old: zeroOid, new: tip },
    ]);
    t.equal(told, '', what);
    t.same([...refsOf(forge, repository)], [['refs/heads/main', tip]], what);
    t.match(forge.git.sentences, [sentence, sentence], what);
    t.equal(forge.git.sentences.length, 2);
    t.same(
      (await forge.events()).filter(({ type }) => type === 'push'),
      [],
    );
    t.equal(forge.intents.open_.size, 0);
  }
});

void t.test('a push moves no further ref once access is lost; moved refs are recorded (item 3)', async (t) => {
  for (const [what, lose, sentence] of losses) {
    const begun = await start(t);
    const { forge, repository, tip } = begun;
    forge.git.whenMoved = () => lose(begun);
    const told = await forge.push(
      bob,
      repository,
      ['one', 'two', 'three'].map((name) => ({ ref: `refs/heads/${name}`, old: zeroOid, new: tip })),
    );
    t.equal(told, 'refs/heads/one', what);
    t.same([...refsOf(forge, repository).keys()], ['refs/heads/main', 'refs/heads/one'], what);
    t.match(forge.git.sentences, [sentence], what);
    t.match(
      (await forge.events()).filter(({ type }) => type === 'push'),
      [{ payload: { ref: 'refs/heads/one' } }],
      what,
    );
    t.equal(forge.intents.open_.size, 0);
  }
});

void t.test(
  'a file write and a branch creation or deletion are rejected if the caller lost access meanwhile',
  async (t) => {
    const { forge, repository, tip } = await start(t);
    const granted = await forge.granted(bob, 'repo.write', repository);
    forge.git.commit(repository.id, 'refs/heads/side', {});
    forge.git.beforeRefsMove = () => void forge.lost.add(bob);
    await t.rejects(
      forge.useCases.writeContents(granted, { path: 'f', message: 'm', content: new Uint8Array(1) }),
      refusal('unauthorized'),
    );
    await t.rejects(forge.useCases.createBranch(granted, { name: 'new' }), refusal('unauthorized'));
    await t.rejects(forge.useCases.deleteBranch(granted, { name: 'side' }), refusal('unauthorized'));
    await t.rejects(forge.useCases.createTag(granted, { name: 'new' }), refusal('unauthorized'));
    t.equal(refsOf(forge, repository).get('refs/heads/main'), tip);
    t.equal(refsOf(forge, repository).size, 2);
  },
);

void t.test('a fork is rejected if its caller lost access while it was copied', async (t) => {
  const { forge, repository } = await start(t);
  const { fork } = forge.git;
  for (const [lose, kind] of [
    [() => forge.storage.unitOfWork.run(() => forge.collaborators.remove(repository.id, bob.id)), 'not_found'],
    [async () => forge.lost.add(bob), 'unauthorized'],
  ] as const) {
    await collaborate(forge, repository);
    const granted = await forge.granted(bob, 'repo.read', repository);
    forge.git.fork = async (...of) => {
      await fork.apply(forge.git, of);
      await lose();
    };
    await t.rejects(forge.useCases.fork(granted, {}), refusal(kind));
    t.strictSame([...forge.git.repositories.keys()], [repository.id], 'no repository is left');
  }
});

void t.test(
  'a push is judged by the rules, default branch and administrator flag at the time when its refs move',
  async (t) => {
    const { forge, repository, tip } = await start(t);
    const side = forge.git.commit(repository.id, 'refs/heads/side', {});
    forge.git.whileReceiving = async () =>
      forge.useCases.update(await own(forge, repository), { defaultBranch: 'side' });
    const refused = { ref: 'refs/heads/side', old: side, new: zeroOid };
    t.equal(await forge.push(alice, repository, [refused]), '');
    t.match(forge.git.sentences, [/default branch cannot be deleted/]);
    forge.git.whileReceiving = async () => forge.renewed.set(root, { ...root, isAdmin: false });
    t.equal(await forge.push(root, repository, [{ ref: 'refs/heads/x', old: zeroOid, new: tip }]), '');
  },
);

void t.test(
  'branches and tags deleted by push get the same audit entry as over the API, before they are deleted',
  async (t) => {
    const { forge, repository, tip } = await start(t);
    const { id } = repository;
    const side = forge.git.commit(id, 'refs/heads/a/side', {});
    forge.git.repositories.get(id)?.refs.set('refs/tags/v1', tip).set('refs/notes/n', tip);
    forge.audited.length = 0;
    const gone = await forge.push(bob, repository, [
      { ref: 'refs/heads/a/side', old: side, new: zeroOid },
      { ref: 'refs/tags/v1', old: tip, new: zeroOid },
      { ref: 'refs/notes/n', old: tip, new: zeroOid },
      { ref: 'refs/heads/main', old: tip, new: zeroOid },
      { ref: 'refs/heads/absent', old: tip, new: zeroOid },
      { ref: 'refs/heads/new', old: zeroOid, new: tip },
    ]);
    t.equal(gone, 'refs/heads/a/side,refs/tags/v1,refs/notes/n,refs/heads/new');
    t.match(forge.git.sentences, [/default branch/, /there is no such ref/]);
    const about = { actorId: bob.id, resource: `repository:${id}` };
    const names = { owner: 'Alice', name: 'a' };
    t.match(forge.audited, [
      { ...about, action: 'branch.deleted', details: { ...names, branch: 'a/side', commit: side } },
      { ...about, action: 'tag.deleted', details: { ...names, tag: 'v1', commit: tip } },
    ]);
    t.equal(forge.audited.length, 2);
    forge.git.repositories.get(id)?.refs.set('refs/tags/v2', tip);
    await forge.useCases.deleteTag(await forge.granted(bob, 'repo.write', repository), { name: 'v2' });
    t.match(forge.audited.at(-1), { action: 'tag.deleted', details: { tag: 'v2', commit: tip } });
  },
);

void t.test('a deletion without an audit entry, or of a ref that has moved, is rejected with a reason', async (t) => {
  const { forge, repository, tip } = await start(t);
  const refs = forge.git.repositories.get(repository.id)?.refs;
  refs?.set('refs/heads/side', tip);
  const deletion = { ref: 'refs/heads/side', old: tip, new: zeroOid };
  t.equal(await forge.push(bob, repository, [{ ...deletion, old: oid('unknown') }]), '');
  t.equal(await forge.push(bob, repository, [{ ...deletion, old: zeroOid }]), '');
  t.match(forge.git.sentences, [/has moved meanwhile/]);
  forge.auditing.fails = true;
  const created = { ref: 'refs/heads/new', old: zeroOid, new: tip };
  t.equal(await forge.push(bob, repository, [deletion, created]), 'refs/heads/new');
  t.match(forge.git.sentences, [/audit record could not be written/]);
  t.equal(refs?.get('refs/heads/side'), tip);
});

void t.test(
  'deletions by push are charged to the rate limit of the API; only those over it are rejected',
  async (t) => {
    const { forge, repository, tip } = await start(t);
    const refs = forge.git.repositories.get(repository.id)?.refs ?? new Map<string, string>();
    const deletions = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => {
        const ref = `refs/${index % 2 === 0 ? 'heads' : 'tags'}/n${from + index}`;
        refs.set(ref, tip);
        return { ref, old: tip, new: zeroOid };
      });
    forge.audited.length = 0;
    forge.git.atomic = true;
    t.equal(await forge.push(bob, repository, deletions(0, 31)), '', 'an atomic push over the limit moves nothing');
    t.equal(forge.audited.length, 0);
    const mixed = [...deletions(0, 1), { ref: 'refs/hexforge/x', old: zeroOid, new: tip }];
    t.equal(await forge.push(bob, repository, mixed), '', 'and is not charged if a rule rejects it');
    t.equal(forge.audited.length, 0);
    t.equal((await forge.push(bob, repository, deletions(31, 51))).split(',').length, 20);
    forge.git.atomic = false;
    const moved = await forge.push(bob, repository, [
      ...deletions(51, 63),
      { ref: 'refs/heads/new', old: zeroOid, new: tip },
    ]);
    t.equal(moved.split(',').length, 11, 'ten deletions and the other refs');
    t.match(forge.git.sentences, [/too many branches and tags deleted: 30 in any 300 seconds/]);
    t.equal(forge.git.sentences.length, 2);
    t.equal(forge.audited.length, 30);
    const granted = await forge.granted(bob, 'repo.write', repository);
    await t.rejects(forge.useCases.deleteTag(granted, { name: 'n62' }), refusal('rate_limited'));
    t.match(await forge.push(alice, repository, deletions(70, 71)), /n70/, 'each user has their own limit');
  },
);
