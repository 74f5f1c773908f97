// Labels on in-memory stores: rules, events and attaching.
import t from 'tap';
import { labelParts, maxLabels } from '#core/planning/index';
import { granted, refusal, world } from './world.ts';

const bug = { name: 'Bug', color: 'd73a4a' };
const [one, two] = [granted('one'), granted('two')];

void t.test('label members are validated and normalized', async (t) => {
  t.same(labelParts(bug), { ...bug, nameKey: 'bug' });
  t.same(labelParts({ description: '' }), { description: null });
  t.same(labelParts({ description: null }), { description: null });
  t.same(labelParts({}), {});
  t.same(labelParts({ name: 'Größe: XL 🛒' }), { name: 'Größe: XL 🛒', nameKey: 'größe: xl 🛒' });
  for (const name of ['', ' ', ' a', 'a ', '\u00a0a', 'a\tb', 'a\u0000', 'x'.repeat(65)])
    t.throws(() => labelParts({ name }), refusal('validation_failed', /"name"/), JSON.stringify(name));
  for (const color of ['', 'red', '#d73a4a', 'd73a4', 'd73a4a0', 'd73a4g', 'd73a4a\n'])
    t.throws(() => labelParts({ color }), refusal('validation_failed', /"color"/), JSON.stringify(color));
});

void t.test('each change emits one event of its repository; an update without a change emits none', async (t) => {
  const { labels, told, close } = await world();
  t.teardown(close);
  const { id } = await labels.create(one, bug);
  const payload = { repository_id: 'one', id };
  t.same(await told(), [['label.created', 'repository:one', payload]]);
  await labels.update(one, { id });
  await labels.update(one, { id, ...bug });
  await t.rejects(labels.update(two, { id, name: 'x' }), refusal('not_found'));
  await t.rejects(labels.create(one, { ...bug, name: 'bUG' }), refusal('conflict'));
  await t.rejects(labels.create(one, { ...bug, color: 'red' }), refusal('validation_failed'));
  await t.rejects(labels.delete(two, { id }), refusal('not_found'));
  t.same(await told(), []);
  await labels.update(one, { id, name: 'Defect' });
  await labels.delete(one, { name: 'dEFECT' });
  t.same(await told(), [
    ['label.updated', 'repository:one', payload],
    ['label.deleted', 'repository:one', payload],
  ]);
});

void t.test('the port returns batches by id and by name, of one repository', async (t) => {
  const { labels, planning, close } = await world();
  t.teardown(close);
  const [bugs, other] = [await labels.create(one, bug), await labels.create(two, bug)];
  t.same(await planning.labels('one', [bugs.id, other.id, 'nothing', bugs.id]), new Map([[bugs.id, bugs]]));
  t.same(await planning.labels('one', []), new Map());
  t.same(await planning.labelsNamed('one', ['bUG', 'bugs', 'Bug']), [bugs]);
  t.same(await planning.labelsNamed('one', []), []);
});

void t.test('attaching', async (t) => {
  const { labels, planning, unitOfWork, told, close } = await world();
  t.teardown(close);
  const [a, b] = [await labels.create(one, { ...bug, name: 'a' }), await labels.create(one, { ...bug, name: 'B' })];
  const elsewhere = await labels.create(two, { ...bug, name: 'elsewhere' });
  await told();
  const attach = (wanted: Parameters<typeof planning.attach>[1], by = one) =>
    unitOfWork.run(() => planning.attach(by, wanted));

  t.same(await attach({ ids: [] }), []);
  t.same(await attach({ ids: [b.id, a.id, b.id] }), [a, b], 'each once, by name');
  for (const ids of [[a.id, 'nothing'], [elsewhere.id]])
    await t.rejects(attach({ ids }), refusal('validation_failed', new RegExp(`label_ids.*${ids.at(-1)}`)));

  const reused = await attach({ ids: [a.id], inline: [{ name: 'A', color: '000000' }] });
  t.same(reused, [a], 'an existing label is reused unchanged for an inline label');
  t.same(await told(), []);
  const made = await attach({
    ids: [b.id],
    inline: [
      { name: 'New', color: '00ff00' },
      { name: 'nEW', color: 'ff0000' },
    ],
  });
  const [fresh] = await planning.labelsNamed('one', ['new']);
  t.same(made, [b, fresh]);
  t.match(
    fresh,
    { name: 'New', color: '00ff00', description: null },
    'of two inline labels with one name the first counts',
  );
  t.same(await told(), [['label.created', 'repository:one', { repository_id: 'one', id: fresh?.id }]]);

  const reader = granted('one', { may: ['issue.write'] });
  t.same(await attach({ ids: [a.id], inline: [] }, reader), [a]);
  await t.rejects(attach({ ids: [], inline: [bug] }, reader), refusal('forbidden'));
  await t.rejects(attach({ ids: [], inline: [{ name: 'a', color: '000000' }] }, reader), refusal('forbidden'));
  await t.rejects(attach({ ids: [], inline: [{ name: 'x', color: 'red' }] }), refusal('validation_failed'));
  await t.rejects(attach({ ids: ['nothing'], inline: [bug] }), refusal('validation_failed'));
  t.same(await planning.labelsNamed('one', ['bug']), [], 'no label is created if one is rejected');
});

void t.test('a repository has a maximum number of labels, however they are created', async (t) => {
  const { labels, planning, unitOfWork, close } = await world();
  t.teardown(close);
  await unitOfWork.run(() =>
    planning.attach(one, {
      ids: [],
      inline: Array.from({ length: maxLabels - 1 }, (_, index) => ({ name: `label ${index}`, color: '000000' })),
    }),
  );
  await labels.create(one, bug);
  await t.rejects(labels.create(one, { ...bug, name: 'one more' }), refusal('unprocessable'));
  const inline = [{ name: 'one more', color: '000000' }];
  await t.rejects(
    unitOfWork.run(() => planning.attach(one, { ids: [], inline })),
    refusal('unprocessable'),
  );
  t.equal((await labels.list(one)).length, maxLabels);
  t.equal((await labels.create(two, bug)).name, 'Bug', 'each repository has its own maximum');
});
