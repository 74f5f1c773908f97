// Contract checks for labels and milestones, run on every engine: what their tables store and refuse, and concurrent
// changes and attachments.
import assert from 'node:assert/strict';
import { AsyncResource } from 'node:async_hooks';
import type { Granted, User } from '#core/kernel/index';
import { Conflict, Duplicate, ValidationFailed } from '#core/kernel/errors';
import type { Rows } from '#core/kernel/storage/rows';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Label, Milestone } from '#core/planning/index';
import type { planningUseCases } from '#core/planning/use-cases';
import type { Repository } from '#core/repositories/index';
import { turn, type Check } from '../checks.ts';

/** A row that refers to a label without a foreign key, as other plugins do. */
export interface Carrier {
  readonly id: string;
  readonly labelId: string;
}

export interface PlanningUnderTest {
  readonly stores: { readonly labels: Rows<Label>; readonly milestones: Rows<Milestone> };
  readonly useCases: ReturnType<typeof planningUseCases>;
  /** A deleted label is removed from these rows when `label.deleted` is handled. */
  readonly carriers: Rows<Carrier>;
  readonly unitOfWork: UnitOfWork;
  readonly uuid: () => string;
  addRepository(): Promise<string>;
  deleteRepository(id: string): Promise<void>;
  /** Resolves when every event so far has been handled. */
  drained(): Promise<unknown>;
}

const granted = (repositoryId: string) =>
  ({
    resource: { id: repositoryId },
    call: {
      caller: { kind: 'user', id: '00000000-0000-4000-8000-00000000000a' },
      now: new Date('2026-01-02T03:04:05.678Z'),
    },
    may: () => true,
  }) as unknown as Granted<Repository, never, User>;

const label = (uuid: string, repositoryId: string, name: string, more: Partial<Label> = {}): Label => ({
  id: uuid,
  repositoryId,
  name,
  nameKey: name.toLowerCase(),
  color: 'd73A4a',
  description: null,
  ...more,
});
const milestone = (uuid: string, repositoryId: string, more: Partial<Milestone> = {}): Milestone => ({
  id: uuid,
  repositoryId,
  title: 'one',
  description: '',
  dueDate: null,
  state: 'open',
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  closedAt: null,
  ...more,
});
const twenty = Array.from({ length: 20 }, (_, index) => index);

export const planningChecks: readonly Check<PlanningUnderTest>[] = [
  {
    name: 'labels and milestones read back unchanged',
    async run({ stores: { labels, milestones }, unitOfWork, uuid, addRepository }) {
      const repositoryId = await addRepository();
      const odd = label(uuid(), repositoryId, 'Größe: "XL"\\', { description: "it's\n✓" });
      const plain = label(uuid(), repositoryId, 'bug');
      const dated = milestone(uuid(), repositoryId, { dueDate: '0001-01-01', description: "it's\n✓" });
      const closed = milestone(uuid(), repositoryId, {
        state: 'closed',
        dueDate: '2028-02-29',
        closedAt: new Date('2026-02-03T04:05:06.789Z'),
      });
      const undated = milestone(uuid(), repositoryId);
      await unitOfWork.run(async () => {
        for (const one of [odd, plain]) await labels.insert(one);
        for (const one of [undated, closed, dated]) await milestones.insert(one);
      });
      assert.deepEqual(await labels.find({ where: { repositoryId }, orderBy: ['nameKey'] }), [plain, odd]);
      assert.deepEqual(await milestones.find({ where: { repositoryId }, orderBy: ['dueDate', 'id'] }), [
        dated,
        closed,
        undated,
      ]);
      await unitOfWork.run(() => milestones.update({ id: dated.id }, { dueDate: null }));
      assert.equal((await milestones.findOne({ id: dated.id }))?.dueDate, null);
    },
  },
  {
    name: 'label names are unique per repository, and the repository of a label or milestone must exist',
    async run({ stores: { labels, milestones }, unitOfWork, uuid, addRepository }) {
      const [one, other] = [await addRepository(), await addRepository()];
      const insert = (row: Label) => unitOfWork.run(() => labels.insert(row));
      await insert(label(uuid(), one, 'Bug'));
      await insert(label(uuid(), other, 'Bug'));
      const taken = (error: unknown) => error instanceof Duplicate && error.constraint === 'planning_label_name';
      await assert.rejects(insert(label(uuid(), one, 'bUG')), taken);
      const strange = (error: unknown) => error instanceof Conflict && !(error instanceof Duplicate);
      await assert.rejects(insert(label(uuid(), uuid(), 'bug')), strange);
      await assert.rejects(
        unitOfWork.run(() => milestones.insert(milestone(uuid(), uuid()))),
        strange,
      );
    },
  },
  {
    name: 'labels and milestones are deleted with their repository, and those of others remain',
    async run({ stores: { labels, milestones }, unitOfWork, uuid, addRepository, deleteRepository }) {
      const [gone, kept] = [await addRepository(), await addRepository()];
      await unitOfWork.run(async () => {
        for (const repositoryId of [gone, kept]) {
          await labels.insert(label(uuid(), repositoryId, 'bug'));
          await milestones.insert(milestone(uuid(), repositoryId));
        }
      });
      await deleteRepository(gone);
      for (const [repositoryId, left] of [
        [gone, 0],
        [kept, 1],
      ] as const) {
        assert.equal(await labels.count({ repositoryId }), left);
        assert.equal(await milestones.count({ repositoryId }), left);
      }
    },
  },
  {
    name: 'twenty concurrent creations, attachments and renames to one name end with one label',
    async run({ stores: { labels }, useCases, unitOfWork, addRepository }) {
      const repositoryId = await addRepository();
      const by = granted(repositoryId);
      const old = await useCases.labels.create(by, { name: 'old', color: '000000' });
      const inline = [
        { name: 'Bug', color: 'd73a4a' },
        { name: 'other', color: 'd73a4a' },
      ];
      const outcomes = await Promise.allSettled<unknown>(
        twenty.map((index) => {
          if (index === 7) return useCases.labels.update(by, { id: old.id, name: 'BUG' });
          if (index % 3 === 0) return useCases.labels.create(by, { name: 'bug', color: '000000' });
          const wanted = { ids: [], inline: index % 2 === 0 ? inline : inline.toReversed() };
          return unitOfWork.run(async () => {
            await turn();
            assert.equal((await useCases.planning.attach(by, wanted)).length, 2);
          });
        }),
      );
      const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
      for (const error of refused) assert.ok(error instanceof Conflict, String(error));
      assert.ok(outcomes.every(({ status }, index) => status === 'fulfilled' || index === 7 || index % 3 === 0));
      assert.equal(await labels.count({ repositoryId, nameKey: 'bug' }), 1);
    },
  },
  {
    name: 'concurrent attaching and deleting of a label leaves no attached label that does not exist',
    async run({ stores: { labels }, useCases, carriers, unitOfWork, uuid, addRepository, drained }) {
      const repositoryId = await addRepository();
      const by = granted(repositoryId);
      const made: string[] = [];
      for (const index of twenty)
        made.push((await useCases.labels.create(by, { name: `label ${index}`, color: '000000' })).id);
      const outcomes = await Promise.allSettled<unknown>(
        made.flatMap((id, index) => {
          const attaching = unitOfWork.run(async () => {
            // In any order and several at a time: two units of work that each hold some must not deadlock.
            const ids = [id, made[(index + 7) % made.length] ?? id];
            const attached = await useCases.planning.attach(by, { ids });
            // Enough time for a deletion that does not wait.
            for (let looks = 0; looks < 50; looks++)
              assert.notEqual(await labels.findOne({ id }), undefined, 'is held');
            for (const one of attached) await carriers.insert({ id: uuid(), labelId: one.id });
          });
          return index % 4 === 3 ? [attaching] : [attaching, useCases.labels.delete(by, { id })];
        }),
      );
      for (const outcome of outcomes)
        if (outcome.status === 'rejected')
          assert.ok(outcome.reason instanceof ValidationFailed, String(outcome.reason));
      await drained();
      const left = (await labels.find({ where: { repositoryId }, orderBy: ['id'] })).map(({ id }) => id);
      assert.equal(left.length, 5);
      const attached = (await carriers.find({ where: {}, orderBy: ['id'] })).map(({ labelId }) => labelId);
      assert.deepEqual(
        attached.filter((id) => !left.includes(id)),
        [],
      );
    },
  },
  {
    name: 'a held milestone exists until the unit of work ends',
    async run({ stores: { milestones }, useCases, unitOfWork, addRepository }) {
      const repositoryId = await addRepository();
      const by = granted(repositoryId);
      const { id } = await useCases.milestones.create(by, { title: 'one' });
      let deleting: Promise<unknown> = Promise.resolve();
      await unitOfWork.run(async () => {
        await useCases.planning.hold(repositoryId, id);
        // Runs outside this unit of work, where it has to wait for it.
        deleting = outside(() => useCases.milestones.delete(by, { id }));
        // Enough time for a deletion that does not wait.
        for (let looks = 0; looks < 200; looks++) assert.notEqual(await milestones.findOne({ id }), undefined);
      });
      await deleting;
      assert.equal(await milestones.findOne({ id }), undefined);
      await assert.rejects(
        unitOfWork.run(() => useCases.planning.hold(repositoryId, id)),
        ValidationFailed,
      );
    },
  },
];

/** Bound before any unit of work is open, so that work run by it joins none. */
const outside = AsyncResource.bind((work: () => Promise<unknown>) => work());
