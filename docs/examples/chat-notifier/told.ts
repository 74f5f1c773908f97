// Stores the last event posted to the chat, by repository and handler, so that no event is posted twice.
import { defineEntity, p, type EventOf, type Migration, type Rows } from 'hexforge/plugin';

export interface Told {
  /**
   * Handler and repository. One handler receives the events of one repository in order, so the last event is enough.
   */
  readonly id: string;
  readonly repositoryId: string;
  readonly eventId: string;
}

export const ToldTable = defineEntity({
  name: 'ChatNotifierTold',
  tableName: 'chat_notifier_told',
  properties: { id: p.text().primary(), repositoryId: p.uuid(), eventId: p.uuid() },
});

export const told: Migration = {
  name: '001-told',
  up: ['create table chat_notifier_told (id text primary key, repository_id uuid not null, event_id uuid not null)'],
};

const idOf = ({ type, aggregate }: EventOf): string => `${type} ${aggregate}`;

export const wasTold = async (rows: Rows<Told>, event: EventOf): Promise<boolean> =>
  (await rows.findOne({ id: idOf(event) }))?.eventId === event.id;

/** Must be called in a unit of work. */
export async function remember(rows: Rows<Told>, event: EventOf, repositoryId: string): Promise<void> {
  const id = idOf(event);
  if ((await rows.update({ id }, { eventId: event.id })) === undefined)
    await rows.insert({ id, repositoryId, eventId: event.id });
}

/** Must be called in a unit of work. Idempotent. */
export const forget = (rows: Rows<Told>, repositoryId: string): Promise<void> =>
  rows.deleteMany({ where: { repositoryId } });
