// Access to repositories: owner, administrators, collaborators and visibility in the access decision.
import t from 'tap';
import { changes, reads } from '#core/kernel/access/access';
import { anonymous, type Caller } from '#core/kernel/caller';
import { alice, bob, carol, root, world, refusal } from './world.ts';

const rules = {
  read: reads('repository', 'repo.read'),
  list: reads('repository', 'repo.read', { anonymous: 401 }),
  write: changes('repository', 'repo.write'),
  own: changes('repository', 'repo.own'),
};

void t.test('the decision by visibility and caller', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  for (const visibility of ['public', 'internal', 'private'] as const)
    await forge.useCases.create(forge.as(alice), { name: visibility, visibility });
  const outcome = async (caller: Caller, rule: keyof typeof rules, repo: string): Promise<string> => {
    try {
      await forge.access.decide(forge.as(caller), rules[rule], undefined, { owner: 'alice', repo });
      return 'ok';
    } catch (error) {
      return (error as { kind: string }).kind;
    }
  };
  const [ok, no, may, who] = ['ok', 'not_found', 'forbidden', 'unauthorized'];
  // The columns: caller, rule, then the outcome on a public, internal, private and missing repository
  const table: readonly (readonly [string, Caller, keyof typeof rules, ...(string | undefined)[]])[] = [
    ['anonymous', anonymous, 'read', ok, no, no, no],
    ['anonymous', anonymous, 'list', ok, who, who, who],
    ['anonymous', anonymous, 'write', who, who, who, who],
    ['anonymous', anonymous, 'own', who, who, who, who],
    ['another user', bob, 'read', ok, ok, no, no],
    ['another user', bob, 'write', may, may, no, no],
    ['another user', bob, 'own', may, may, no, no],
    ['owner', alice, 'read', ok, ok, ok, no],
    ['owner', alice, 'write', ok, ok, ok, no],
    ['owner', alice, 'own', ok, ok, ok, no],
    ['administrator', root, 'read', ok, ok, ok, no],
    ['administrator', root, 'own', ok, ok, ok, no],
  ];
  for (const [name, caller, rule, ...expected] of table) {
    for (const [index, repo] of ['public', 'internal', 'private', 'missing'].entries())
      t.equal(await outcome(caller, rule, repo), expected[index], `${name}, ${rule}, ${repo}`);
  }
});

void t.test(
  "a collaborator has the permissions of their role, also on private repositories, but never the owner's",
  async (t) => {
    const forge = await world();
    t.teardown(() => forge.close());
    const repository = await forge.useCases.create(forge.as(alice), { name: 'secret' });
    const table = [
      [{ role: 'read', permissions: [] }, [true, false, false, false]],
      [{ role: 'write', permissions: [] }, [true, true, false, false]],
      [{ role: 'admin', permissions: [] }, [true, true, true, false]],
      [{ role: 'custom', permissions: ['repo.read', 'repo.admin', 'repo.own'] }, [true, false, true, false]],
    ] as const;
    for (const [given, expected] of table) {
      await forge.storage.unitOfWork.run(() => forge.collaborators.put(repository.id, bob.id, given, new Date()));
      const granted = await forge.granted(bob, 'repo.read', repository);
      t.same(
        ['repo.read', 'repo.write', 'repo.admin', 'repo.own'].map((permission) => granted.may(permission)),
        expected,
        given.role,
      );
    }
    await forge.storage.unitOfWork.run(() =>
      forge.collaborators.put(repository.id, bob.id, { role: 'blind', permissions: ['repo.write'] }, new Date()),
    );
    await t.rejects(
      forge.granted(bob, 'repo.write', repository),
      refusal('not_found'),
      'a role without read does not reveal the repository',
    );
    await t.rejects(
      forge.granted(carol, 'repo.read', repository),
      refusal('not_found'),
      'the role is of one user only',
    );
  },
);

void t.test(
  'a repository is found in any ASCII case of its names, and not by other characters that fold to one',
  async (t) => {
    const forge = await world();
    t.teardown(() => forge.close());
    await forge.useCases.create(forge.as(alice), { name: 'Kit', visibility: 'public' });
    const found = (owner: string, name: string) => forge.granted(alice, 'repo.read', { owner, name });
    t.equal((await found('ALICE', 'kIT')).resource.name, 'Kit');
    for (const [owner, name] of [
      ['alice', '\u212Ait'],
      ['alice', 'Kit.git'],
      ['alice', 'Kit.'],
      ['alice', '..'],
      ['', 'Kit'],
      ['a\u0000lice', 'Kit'],
      ["' or 1=1", 'Kit'],
    ] as const) {
      await t.rejects(found(owner, name), refusal('not_found'), `${owner}/${name}`);
    }
  },
);

void t.test('a route that returns the repository gets its counts from the query that found it', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  await forge.useCases.create(forge.as(alice), { name: 'counted' });
  const params = { owner: 'alice', repo: 'counted' };
  const asked: unknown[][] = [];
  const { standing, ownCounts } = forge.store;
  Object.assign(forge.store, {
    standing: (...given: Parameters<typeof standing>) => {
      asked.push(['standing', ...given]);
      return standing(...given);
    },
    ownCounts: (...given: Parameters<typeof ownCounts>) => {
      asked.push(['counts']);
      return ownCounts(...given);
    },
  });
  const counted = reads('counted-repository', 'repo.read');
  const { counts } = await forge.useCases.fetch(await forge.access.decide(forge.as(alice), counted, undefined, params));
  t.equal(counts.stars, 0);
  t.same(asked, [['standing', 'alice', 'counted', alice.id, []]]);
  const { resource } = await forge.access.decide(forge.as(alice), rules.read, undefined, params);
  t.equal('found' in resource, false, 'other routes read no counts');
  await t.rejects(
    forge.access.decide(forge.as(bob), counted, undefined, params),
    refusal('not_found'),
    'it is protected like any other',
  );
  // @ts-expect-error a counted repository can only be read
  t.ok(changes('counted-repository', 'repo.write'));
});
