// Contract checks for the ports of planning: Planning and MilestoneCounts.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { Forbidden, ValidationFailed } from '#core/kernel/errors';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { MilestoneCounts, Planning } from '#core/planning/index';
import type { Repository } from '#core/repositories/index';
import type { Check } from './checks.ts';

export interface PlanningOffered {
  readonly planning: Planning;
  readonly unitOfWork: UnitOfWork;
  /** For a user who may create labels. */
  readonly granted: Granted<Repository, string, User>;
  /** A label and a milestone of that repository. */
  readonly known: {
    readonly label: { readonly id: string; readonly name: string };
    readonly milestone: { readonly id: string; readonly title: string };
  };
}

export const planningPortChecks: readonly Check<PlanningOffered>[] = [
  {
    name: 'labels and milestones are found in batches, of one repository; unknown ids are omitted',
    async run({ planning, granted: { resource }, known: { label, milestone } }) {
      const [unknown, elsewhere] = [randomUUID(), randomUUID()];
      const labels = await planning.labels(resource.id, [unknown, label.id]);
      assert.deepEqual([...labels.keys()], [label.id]);
      assert.equal(labels.get(label.id)?.name, label.name);
      const milestones = await planning.milestones(resource.id, [milestone.id, unknown]);
      assert.deepEqual([...milestones.keys()], [milestone.id]);
      assert.equal(milestones.get(milestone.id)?.title, milestone.title);
      assert.equal((await planning.labels(elsewhere, [label.id])).size, 0);
      assert.equal((await planning.milestones(elsewhere, [milestone.id])).size, 0);
      assert.equal((await planning.labels(resource.id, [])).size, 0);
    },
  },
  {
    name: 'all labels and milestones are those of one repository',
    async run({ planning, granted: { resource }, known: { label, milestone } }) {
      const all = await planning.ofRepository(resource.id);
      assert.ok(all.labels.some(({ id }) => id === label.id));
      assert.ok(all.milestones.some(({ id }) => id === milestone.id));
      assert.deepEqual(await planning.ofRepository(randomUUID()), { labels: [], milestones: [] });
    },
  },
  {
    name: 'labels are found by name ignoring case, each once',
    async run({ planning, granted: { resource }, known: { label } }) {
      const named = async (...names: readonly string[]) =>
        (await planning.labelsNamed(resource.id, names)).map(({ id }) => id);
      assert.deepEqual(await named(label.name.toUpperCase(), label.name.toLowerCase()), [label.id]);
      assert.deepEqual(await named(`${label.name}-none`), []);
      assert.deepEqual(await named(), []);
    },
  },
  {
    name: 'labels are attached once each, inline ones by name; an unknown id is refused',
    async run({ planning, unitOfWork, granted, known: { label } }) {
      const attach = (ids: readonly string[], names: readonly string[] = []) =>
        unitOfWork.run(() =>
          planning.attach(granted, { ids, inline: names.map((name) => ({ name, color: '000000' })) }),
        );
      assert.deepEqual(await attach([]), []);
      const again = await attach([label.id, label.id], [label.name.toUpperCase()]);
      assert.deepEqual(
        again.map(({ id }) => id),
        [label.id],
      );
      const name = `made-${randomUUID()}`;
      const [made] = await attach([], [name]);
      assert.deepEqual(await planning.labelsNamed(granted.resource.id, [name]), [made]);
      await assert.rejects(attach([randomUUID()]), ValidationFailed);
    },
  },
  {
    name: 'creating labels inline without the permission to create labels is Forbidden',
    async run({ planning, unitOfWork, granted, known: { label } }) {
      const without = { ...granted, may: () => false };
      const name = `made-${randomUUID()}`;
      const inline = [{ name, color: '000000' }];
      await assert.rejects(
        unitOfWork.run(() => planning.attach(without, { ids: [], inline })),
        Forbidden,
      );
      assert.deepEqual(await planning.labelsNamed(granted.resource.id, [name]), []);
      assert.equal((await unitOfWork.run(() => planning.attach(without, { ids: [label.id] }))).length, 1);
    },
  },
  {
    name: 'a milestone of the repository is held; an unknown one or one of another repository is refused',
    async run({ planning, unitOfWork, granted: { resource }, known: { milestone } }) {
      const hold = (repositoryId: string, id: string) => unitOfWork.run(() => planning.hold(repositoryId, id));
      assert.equal((await hold(resource.id, milestone.id)).title, milestone.title);
      await assert.rejects(hold(resource.id, randomUUID()), ValidationFailed);
      await assert.rejects(hold(randomUUID(), milestone.id), ValidationFailed);
    },
  },
];

export interface MilestoneCountsUnderTest {
  readonly counts: MilestoneCounts;
  /** A milestone with known counts. */
  readonly counted: {
    readonly repositoryId: string;
    readonly milestoneId: string;
    readonly open: number;
    readonly closed: number;
  };
}

export const milestoneCountsChecks: readonly Check<MilestoneCountsUnderTest>[] = [
  {
    name: 'a batch takes one call; a milestone without counts may be omitted',
    async run({ counts, counted: { repositoryId, milestoneId, open, closed } }) {
      const unknown = randomUUID();
      const all = await counts.counts(repositoryId, [unknown, milestoneId]);
      assert.deepEqual(all.get(milestoneId), { open, closed });
      assert.deepEqual(all.get(unknown) ?? { open: 0, closed: 0 }, { open: 0, closed: 0 });
      assert.equal((await counts.counts(repositoryId, [])).size, 0);
    },
  },
  {
    name: 'a milestone is not counted for another repository',
    async run({ counts, counted: { milestoneId } }) {
      const all = await counts.counts(randomUUID(), [milestoneId]);
      assert.deepEqual(all.get(milestoneId) ?? { open: 0, closed: 0 }, { open: 0, closed: 0 });
    },
  },
];
