// Use cases of issue types, type schemes, components and versions: rules, audit entries and events.
import t from 'tap';
import { named } from '#core/issues/model/named';
import { builtInTypes, isBuiltIn, typeName } from '#core/issues/index';
import { alice, bob, refusal, root, typeId, types, world } from './world.ts';

const chore = { name: ' Chore ', displayName: 'Chore', color: '0a1b2c' };
const absent = '00000000-0000-4000-8000-0000000000ff';

void t.test('a type name is one line, trimmed and lower-cased; built-in types are identified by id', async (t) => {
  t.equal(typeName(' \tSub Task '), 'sub task');
  for (const bad of ['', '  ', 'a\nb', 'a\u0000b'])
    t.throws(() => typeName(bad), refusal('validation_failed', /"name"/));
  t.same(
    builtInTypes.map(({ id }) => id),
    [1, 2, 3, 4, 5, 6, 7].map(typeId),
  );
  t.ok(builtInTypes.every(isBuiltIn));
  t.notOk(isBuiltIn({ id: typeId(8) }));
});

void t.test(
  'the name of a component or version is one line without surrounding blanks, compared in lower case',
  async (t) => {
    t.same(named('Web UI'), { name: 'Web UI', nameKey: 'web ui' });
    t.equal(named('ÄÖ').nameKey, 'äö');
    for (const bad of ['', ' ', ' a', 'a ', 'a\tb', 'a\u0000'])
      t.throws(() => named(bad), refusal('validation_failed', /"name"/));
  },
);

void t.test(
  'each change of a type writes one event and one audit entry, an update without a change none',
  async (t) => {
    const forge = await world();
    t.teardown(() => forge.close());
    const { types: catalogue } = forge.useCases;
    const call = forge.call(root);
    const { id, position } = await catalogue.create(call, chore);
    t.equal(position, 8, 'after the last');
    await catalogue.update(call, { id });
    await catalogue.update(call, { id, displayName: 'Chore', position });
    await catalogue.update(call, { id, displayName: 'Housekeeping' });
    await catalogue.delete(call, { id });
    const changes = ['created', 'updated', 'deleted'].map((change) => `issue_type.${change}`);
    t.same(
      (await forge.events()).map(({ type, aggregate, actorId, payload }) => [type, aggregate, actorId, payload]),
      changes.map((type) => [type, `issue_type:${id}`, root.id, { issue_type_id: id, name: 'chore' }]),
    );
    t.same(
      forge.audited.map(({ action, resource, actorId, details }) => [action, resource, actorId, details]),
      changes.map((action, index) => [
        action,
        `issue_type:${id}`,
        root.id,
        { name: 'chore', display_name: index === 0 ? 'Chore' : 'Housekeeping' },
      ]),
    );
  },
);

void t.test('a type is not changed if its audit entry fails', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const { types: catalogue } = forge.useCases;
  const call = forge.call(root);
  const made = await catalogue.create(call, chore);
  const before = await catalogue.list(call);
  forge.auditing.fails = true;
  await t.rejects(catalogue.create(call, { ...chore, name: 'other' }), /audit/);
  await t.rejects(catalogue.update(call, { id: made.id, color: 'ffffff' }), /audit/);
  await t.rejects(catalogue.delete(call, { id: made.id }), /audit/);
  t.same(await catalogue.list(call), before);
  t.equal((await forge.events()).length, 1);
});

void t.test('a built-in or used type cannot be deleted, and type names are unique', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const { types: catalogue } = forge.useCases;
  const call = forge.call(root);
  const { id } = await catalogue.create(call, chore);
  const { number } = await forge.open({ typeId: id });
  await t.rejects(catalogue.delete(call, { id }), { ...refusal('conflict'), message: /in use/ });
  await t.rejects(catalogue.delete(call, { id: types.bug }), { ...refusal('conflict'), message: /built-in/ });
  await t.rejects(catalogue.create(call, chore), refusal('conflict', /"chore"/));
  await t.rejects(catalogue.update(call, { id: absent, color: 'ffffff' }), refusal('not_found'));
  await t.rejects(catalogue.delete(call, { id: absent }), refusal('not_found'));
  await forge.useCases.delete(await forge.owning(alice), { number: String(number) });
  await catalogue.delete(call, { id });
  t.equal((await catalogue.list(call)).length, 7);
});

void t.test('a scheme is replaced completely with an event, and applies to new issues and changed types', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const { typeScheme } = forge.useCases;
  const granted = await forge.granted(alice, 'repo.admin');
  const old = await forge.open({ typeId: types.support });
  const set = (...typeIds: readonly string[]) => typeScheme.replace(granted, { typeIds });
  const names = async () => (await typeScheme.fetch(await forge.reading(bob))).map(({ name }) => name);
  t.same(await names(), []);
  t.same(
    (await set(types.bug, types.epic)).map(({ name }) => name),
    ['bug', 'epic'],
  );
  await set(types.task, types.bug);
  t.same(await names(), ['task', 'bug']);
  await t.rejects(set(types.bug, absent), refusal('validation_failed', new RegExp(`"type_ids".*${absent}`)));
  await t.rejects(set(types.bug, types.bug), refusal('validation_failed', /"type_ids"/));
  t.same(await names(), ['task', 'bug'], 'a rejected one changes nothing');

  const outside = refusal('validation_failed', /"issue_type_id".*task.*bug/);
  await t.rejects(forge.open({ typeId: types.epic }), outside);
  await t.rejects(forge.open({ typeId: absent }), refusal('validation_failed', /"issue_type_id"/));
  const change = async (number: number, command: object) =>
    forge.useCases.update(await forge.as(alice), { ...command, number: String(number) });
  await t.rejects(change((await forge.open()).number, { typeId: types.epic }), outside);
  t.match(await change(old.number, { title: 'Still one', typeId: types.support }), { type: { name: 'support' } });
  await set();
  t.match(await forge.open({ typeId: types.epic }), { type: { name: 'epic' } }, 'an empty scheme allows every type');

  t.same(
    (await forge.events())
      .filter(({ type }) => type === 'issue_type_scheme.replaced')
      .map(({ aggregate, actorId, payload }) => [aggregate, actorId, payload]),
    [[types.bug, types.epic], [types.task, types.bug], []].map((type_ids) => [
      `repository:${forge.code.id}`,
      alice.id,
      { repository_id: forge.code.id, type_ids },
    ]),
  );
});

void t.test('a deleted type is removed from schemes; a scheme with only this type becomes empty', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const { id } = await forge.useCases.types.create(forge.call(root), chore);
  const granted = await forge.granted(alice, 'repo.admin');
  await forge.useCases.typeScheme.replace(granted, { typeIds: [id] });
  await forge.useCases.types.delete(forge.call(root), { id });
  t.same(await forge.useCases.typeScheme.fetch(granted), []);
});

for (const noun of ['component', 'version'] as const)
  void t.test(
    `${noun}s: each change emits one event, an update without a change none, and names are unique`,
    async (t) => {
      const forge = await world();
      t.teardown(() => forge.close());
      const things = forge.useCases[`${noun}s`];
      const [granted, elsewhere] = [
        await forge.granted(alice, 'issue.write'),
        await forge.granted(alice, 'issue.write', await forge.add('other')),
      ];
      const members = { name: 'One', description: '', released: false, releaseDate: null };
      const { id } = await things.create(granted, members);
      await things.create(elsewhere, members);
      await things.update(granted, { id, patch: {} });
      t.match(await things.update(granted, { id, patch: { name: 'ONE' } }), { name: 'ONE', nameKey: 'one' });
      await t.rejects(things.create(granted, { ...members, name: 'oNe' }), refusal('conflict'));
      const two = await things.create(granted, { ...members, name: 'two' });
      await t.rejects(things.update(granted, { id: two.id, patch: { name: 'One' } }), refusal('conflict'));
      await t.rejects(things.update(granted, { id: two.id, patch: { name: 'One ' } }), refusal('validation_failed'));
      for (const patch of [{}, { name: 'x' }])
        await t.rejects(things.update(elsewhere, { id, patch }), refusal('not_found'), 'from another repository');
      await t.rejects(things.delete(elsewhere, { id }), refusal('not_found'));
      await things.delete(granted, { id });
      t.match(await things.list(await forge.reading(bob), { page: 1, perPage: 5 }), { items: [two], total: 1 });
      t.same(
        (await forge.events())
          .filter(({ aggregate }) => aggregate === `repository:${forge.code.id}`)
          .map(({ type, actorId, payload }) => [type, actorId, payload]),
        (
          [
            ['created', id],
            ['updated', id],
            ['created', two.id],
            ['deleted', id],
          ] as const
        ).map(([what, one]) => [`${noun}.${what}`, alice.id, { repository_id: forge.code.id, id: one }]),
      );
    },
  );

void t.test(
  'components and versions of an issue: replaced if sent, with events if changed, only from its repository',
  async (t) => {
    const forge = await world();
    t.teardown(() => forge.close());
    const { components, versions } = forge.useCases;
    const granted = await forge.granted(alice, 'issue.write');
    const elsewhere = await forge.granted(alice, 'issue.write', await forge.add('other'));
    const version = { description: '', released: false, releaseDate: null };
    const [web, core] = [
      await components.create(granted, { name: 'web', description: '' }),
      await components.create(granted, { name: 'Core', description: '' }),
    ];
    const one = await versions.create(granted, { ...version, name: '1' });
    const foreign = await versions.create(elsewhere, { ...version, name: '1' });
    const issue = await forge.open({ componentIds: [web.id, core.id, web.id], affectsVersionIds: [one.id] });
    t.match(issue, { components: [core, web], fixVersions: [], affectsVersions: [one] });
    const change = async (command: object) =>
      forge.useCases.update(await forge.as(alice), { ...command, number: String(issue.number) });
    t.match(await change({ componentIds: [core.id, web.id], fixVersionIds: [] }), issue, 'the same sets');
    t.match(await change({ componentIds: [web.id], fixVersionIds: [one.id] }), {
      components: [web],
      fixVersions: [one],
      affectsVersions: [one],
    });
    for (const [member, field, id] of [
      ['fixVersionIds', 'fix_version_ids', foreign.id],
      ['affectsVersionIds', 'affects_version_ids', absent],
      ['componentIds', 'component_ids', one.id],
    ] as const) {
      const unknown = refusal('validation_failed', new RegExp(`"${field}".*${id}`));
      await t.rejects(change({ title: 'Other', [member]: [id] }), unknown);
      await t.rejects(forge.open({ [member]: [id] }), unknown);
    }
    t.match(await forge.useCases.fetch(await forge.reading(bob), { number: String(issue.number) }), {
      title: issue.title,
      components: [web],
      fixVersions: [one],
    });
    t.same(
      (await forge.events()).flatMap(({ type, payload }) => (type === 'issue.updated' ? [payload] : [])),
      [
        {
          repository_id: forge.code.id,
          issue_id: issue.id,
          number: issue.number,
          changed: ['component_ids', 'fix_version_ids'],
        },
      ],
    );
    const listed = async (query: object) => {
      const page = await forge.useCases.list(await forge.reading(bob), { ...query, page: { page: 1, perPage: 5 } });
      return page.items.map(({ number }) => number);
    };
    t.same(await listed({ component: 'WEB', fixVersion: '1', affectsVersion: '1' }), [issue.number]);
    for (const query of [{ component: 'core' }, { component: 'none' }, { fixVersion: 'web' }])
      t.same(await listed(query), []);
  },
);
