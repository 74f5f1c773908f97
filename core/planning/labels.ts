// Labels of a repository: listed, made, changed, deleted, and attached to what carries them (document B, "Issues").
import type { Granted } from '#core/kernel/access';
import type { User } from '#core/kernel/caller';
import { Conflict, Forbidden, onDuplicate, ValidationFailed } from '#core/kernel/errors';
import type { Rows } from '#core/kernel/rows';
import { nameKey, type Repository } from '#core/repositories/index';
import { changesOf, type ChangeParts } from './changes.ts';
import { labelParts, maxLabels, type Label, type LabelWish } from './label.ts';
import type { Planning } from './offers.ts';

type Reading = Granted<Repository, 'issue.read'>;
type Writing = Granted<Repository, 'label.create', User>;

export type LabelUseCases = ReturnType<typeof labelUseCases>;

export function labelUseCases(parts: ChangeParts & { readonly labels: Rows<Label> }) {
  const { labels, ids } = parts;
  const changes = changesOf('label', labels, maxLabels, parts);
  const made = ({ resource }: Pick<Reading, 'resource'>, wish: LabelWish): Label => ({
    id: ids.uuid(),
    repositoryId: resource.id,
    description: null,
    ...labelParts(wish),
  });
  const named = <T>(write: () => Promise<T>): Promise<T> =>
    onDuplicate(
      write,
      (cause) =>
        new Conflict('The repository has a label of this name already', {
          detail: '"name" is in use; names are compared case-insensitively',
          cause,
        }),
    );
  return {
    list: ({ resource }: Reading) => labels.find({ where: { repositoryId: resource.id }, orderBy: ['nameKey'] }),
    fetch: (granted: Reading, { id }: { readonly id: string }) => changes.fetch(granted, id),
    create: (granted: Writing, wish: LabelWish) => named(() => changes.create(granted, made(granted, wish))),
    update: (granted: Writing, { id, ...wish }: Partial<LabelWish> & { readonly id: string }) =>
      named(() => changes.update(granted, id, () => labelParts(wish))),
    /** @param which a name is compared case-insensitively. */
    delete: (granted: Writing, which: { readonly id: string } | { readonly name: string }) =>
      changes.delete(granted, 'id' in which ? { id: which.id } : { nameKey: nameKey(which.name) }),
    offered: {
      labels: changes.byIds,
      labelNamed: (repositoryId, name) => labels.findOne({ repositoryId, nameKey: nameKey(name) }),
      async attach(granted, { ids: wanted, inline = [] }) {
        const repositoryId = granted.resource.id;
        if (inline.length > 0 && !granted.may('label.create'))
          throw new Forbidden('You may not make labels here', {
            detail: '"inline_labels" needs the permission "label.create"',
          });
        // Of one name twice the first counts.
        const wishes = new Map(inline.toReversed().map((wish) => [nameKey(wish.name), made(granted, wish)]));
        // So that of several who want the same new label one makes it and the others find it.
        if (wishes.size > 0) await changes.turn(granted);
        const attached = new Map(await changes.byIds(repositoryId, wanted, 'held'));
        const unknown = wanted.find((id) => !attached.has(id));
        if (unknown !== undefined)
          throw new ValidationFailed('There is no such label', {
            detail: `"label_ids" names "${unknown}", which is no label of this repository`,
          });
        const there = await labels.find(
          { where: { repositoryId }, among: { nameKey: [...wishes.keys()] }, orderBy: ['id'] },
          'held',
        );
        for (const label of there) wishes.set(label.nameKey, label);
        for (const label of wishes.values())
          attached.set(label.id, there.includes(label) ? label : await changes.add(granted, label));
        return [...attached.values()].sort((a, b) => (a.nameKey < b.nameKey ? -1 : 1));
      },
    } satisfies Partial<Planning>,
  };
}
