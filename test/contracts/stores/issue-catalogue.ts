// Contract checks for the stores beside the issue store: ordered type schemes, and the components and versions of
// issues, replaced as whole sets.
import assert from 'node:assert/strict';
import { StillReferenced } from '#core/kernel/errors';
import type { Rows } from '#core/kernel/storage/rows';
import {
  builtInTypes,
  type AssociationStore,
  type Component,
  type IssueType,
  type Named,
  type TypeSchemeStore,
  type Version,
} from '#core/issues/index';
import type { Check } from '../checks.ts';
import { check, typeId, uuid, type IssueStoreUnderTest } from './issue-store.ts';

export interface IssueCatalogueUnderTest extends IssueStoreUnderTest {
  readonly types: Rows<IssueType>;
  readonly schemes: TypeSchemeStore;
  readonly components: Rows<Component>;
  readonly versions: Rows<Version>;
  readonly associations: AssociationStore;
}

const named = (repositoryId: string, name: string): Named => ({
  id: uuid(),
  repositoryId,
  name,
  nameKey: name.toLowerCase(),
  description: `About ${name}`,
});
const version = (repositoryId: string, name: string): Version => ({
  ...named(repositoryId, name),
  released: true,
  releaseDate: '2028-02-29',
});
const none = { components: [], fixVersions: [], affectsVersions: [] };

export const issueCatalogueChecks: readonly Check<IssueCatalogueUnderTest>[] = [
  check('the built-in types exist from the start', async ({ types }) => {
    assert.deepEqual(await types.find({ where: {}, orderBy: ['position'] }), builtInTypes);
  }),

  check(
    'a scheme keeps its types in order; replacing it sets other types, and an empty list clears it',
    async (given) => {
      const { schemes, unitOfWork, repository, ada } = given;
      const other = await given.addRepository(ada, 'other');
      const put = (id: string, ...names: readonly Parameters<typeof typeId>[0][]) =>
        unitOfWork.run(() => schemes.replace(id, names.map(typeId)));
      assert.deepEqual(await schemes.typesOf(repository), []);
      await put(repository, 'bug', 'epic', 'task');
      await put(other, 'story');
      assert.deepEqual(await schemes.typesOf(repository), [builtInTypes[4], builtInTypes[0], builtInTypes[2]]);
      await put(repository, 'task', 'bug');
      assert.deepEqual(await schemes.typesOf(repository), [builtInTypes[2], builtInTypes[4]]);
      await put(repository);
      assert.deepEqual(await schemes.typesOf(repository), []);
      assert.deepEqual(await schemes.typesOf(other), [builtInTypes[1]]);
    },
  ),

  check(
    'of concurrent replacements of a scheme one is stored completely',
    async ({ schemes, unitOfWork, repository }) => {
      const sets = [['bug'], ['task', 'bug'], ['epic', 'story'], []] as const;
      await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          unitOfWork.run(() => schemes.replace(repository, (sets[index % sets.length] ?? []).map(typeId))),
        ),
      );
      const left = (await schemes.typesOf(repository)).map(({ name }) => name).join(' ');
      assert.ok(
        sets.some((set) => set.join(' ') === left),
        left,
      );
    },
  ),

  check('deleting a type removes it from the schemes, and fails while an issue has it', async (given) => {
    const { types, schemes, unitOfWork, repository, store, add } = given;
    const type: IssueType = { ...(builtInTypes[0] as IssueType), id: uuid(), name: `made ${uuid()}` };
    await unitOfWork.run(async () => {
      await types.insert(type);
      await schemes.replace(repository, [type.id, typeId('bug')]);
    });
    const remove = () => unitOfWork.run(() => types.delete({ id: type.id }));
    const issue = await add({ typeId: type.id });
    await assert.rejects(remove(), StillReferenced);
    await unitOfWork.run(() => store.delete(issue.id));
    assert.deepEqual(await remove(), type);
    assert.deepEqual(await schemes.typesOf(repository), [builtInTypes[4]]);
  }),

  check('the associations of an issue read back by name, per kind, and are replaced as whole sets', async (given) => {
    const { components, versions, associations, unitOfWork, repository, add } = given;
    const [web, core] = [named(repository, 'web'), named(repository, 'Core')];
    const [one, two] = [
      version(repository, 'v1'),
      { ...version(repository, 'V2'), released: false, releaseDate: null },
    ];
    const [a, b, c] = [await add(), await add(), await add()];
    await unitOfWork.run(async () => {
      for (const component of [web, core]) await components.insert(component);
      for (const each of [two, one]) await versions.insert(each);
      await associations.replace(a.id, 'components', [web.id, core.id]);
      await associations.replace(a.id, 'fixVersions', [two.id]);
      await associations.replace(a.id, 'affectsVersions', [two.id, one.id]);
      await associations.replace(b.id, 'affectsVersions', [one.id]);
      await associations.replace(b.id, 'components', []);
    });
    const of = async (...ids: readonly string[]) => {
      const found = await associations.of(ids);
      return ids.map((id) => found.get(id) ?? none);
    };
    assert.deepEqual(await of(a.id, b.id, c.id), [
      { components: [core, web], fixVersions: [two], affectsVersions: [one, two] },
      { ...none, affectsVersions: [one] },
      none,
    ]);
    await unitOfWork.run(async () => {
      await associations.replace(a.id, 'components', [core.id]);
      await associations.replace(a.id, 'affectsVersions', []);
    });
    assert.deepEqual(await of(b.id, a.id), [
      { ...none, affectsVersions: [one] },
      { components: [core], fixVersions: [two], affectsVersions: [] },
    ]);
    const many = Array.from({ length: 100 }, uuid);
    assert.deepEqual((await of(b.id, ...many, a.id)).at(-1), (await of(a.id))[0], 'among many issues');
    assert.deepEqual((await of(b.id, ...many, a.id))[0], (await of(b.id))[0]);
    assert.deepEqual(await associations.of([]), new Map());
  }),

  check('the filters of a list find issues by their associations', async (given) => {
    const { components, versions, associations, unitOfWork, repository, add, numbers } = given;
    const [web, one] = [named(repository, 'web'), version(repository, 'v1')];
    const [a, b] = [await add(), await add()];
    await unitOfWork.run(async () => {
      await components.insert(web);
      await versions.insert(one);
      for (const { id } of [a, b]) await associations.replace(id, 'components', [web.id]);
      await associations.replace(a.id, 'fixVersions', [one.id]);
      await associations.replace(b.id, 'affectsVersions', [one.id]);
    });
    assert.deepEqual(await numbers({ componentId: web.id }), [2, 1]);
    assert.deepEqual(await numbers({ componentId: web.id, fixVersionId: one.id }), [1]);
    assert.deepEqual(await numbers({ affectsVersionId: one.id }), [2]);
    assert.deepEqual(await numbers({ componentId: uuid() }), []);
    assert.deepEqual(await numbers({ fixVersionId: one.id, affectsVersionId: one.id }), []);
  }),

  check(
    'deleting a component or version removes it from issues; associations are deleted with their issue and repository',
    async (given) => {
      const { components, versions, associations, unitOfWork, repository, store, add } = given;
      const [web, core, one] = [named(repository, 'web'), named(repository, 'core'), version(repository, 'v1')];
      const [a, b] = [await add(), await add()];
      await unitOfWork.run(async () => {
        for (const component of [web, core]) await components.insert(component);
        await versions.insert(one);
        for (const { id } of [a, b]) {
          await associations.replace(id, 'components', [web.id, core.id]);
          await associations.replace(id, 'fixVersions', [one.id]);
        }
      });
      await unitOfWork.run(() => components.delete({ id: web.id }));
      assert.deepEqual((await associations.of([a.id])).get(a.id), { ...none, components: [core], fixVersions: [one] });
      await unitOfWork.run(() => versions.delete({ id: one.id }));
      await unitOfWork.run(() => store.delete(a.id));
      assert.deepEqual((await associations.of([b.id])).get(b.id), { ...none, components: [core] });
      await given.removeRepository(repository);
      assert.equal(await components.findOne({ id: core.id }), undefined);
      assert.deepEqual((await associations.of([b.id])).get(b.id) ?? none, none);
    },
  ),

  check('associations that are too many to be read at once are read whole', async (given) => {
    const { components, versions, associations, unitOfWork, repository, add } = given;
    const name = (number: number): string => String(number).padStart(3, '0');
    const parts = Array.from({ length: 100 }, (_, number) => named(repository, name(number)));
    const releases = Array.from({ length: 100 }, (_, number) => version(repository, name(number)));
    const ids: string[] = [];
    for (let count = 0; count < 40; count += 1) ids.push((await add()).id);
    await unitOfWork.run(async () => {
      for (const component of parts) await components.insert(component);
      for (const release of releases) await versions.insert(release);
      for (const id of ids) {
        const of = releases.map((release) => release.id);
        await associations.replace(
          id,
          'components',
          parts.map((component) => component.id),
        );
        await associations.replace(id, 'fixVersions', of);
      }
    });
    const found = await associations.of(ids);
    for (const id of ids)
      assert.deepEqual(found.get(id), { components: parts, fixVersions: releases, affectsVersions: [] });
  }),

  check('the associations of one issue and of fifty take the same number of statements', async (given) => {
    const { components, versions, associations, unitOfWork, repository, add, statements } = given;
    const [web, one] = [named(repository, 'web'), version(repository, 'v1')];
    const ids: string[] = [];
    for (let count = 0; count < 50; count += 1) ids.push((await add()).id);
    await unitOfWork.run(async () => {
      await components.insert(web);
      await versions.insert(one);
      for (const id of ids) {
        await associations.replace(id, 'components', [web.id]);
        await associations.replace(id, 'fixVersions', [one.id]);
      }
    });
    const taken = async (asked: readonly string[]) => {
      const before = statements?.() ?? 0;
      const found = await associations.of(asked);
      assert.deepEqual(
        asked.map((id) => found.get(id)),
        asked.map(() => ({ components: [web], fixVersions: [one], affectsVersions: [] })),
      );
      return (statements?.() ?? 0) - before;
    };
    assert.equal(await taken(ids), await taken(ids.slice(0, 1)));
  }),
];
