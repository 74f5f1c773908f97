// What was told to the chat: of each repository and handler the last event, so that none is told twice.
import { defineEntity, p, type EventOf, type Migration, type Rows } from 'hexforge/plugin';

export interface Told {
  /** Handler and repository: the events of one repository come to one handler in order, so its last one is enough. */
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

/** In a unit of work. */
export async function remember(rows: Rows<Told>, event: EventOf, repositoryId: string): Promise<void> {
  const id = idOf(event);
  if ((await rows.update({ id }, { eventId: event.id })) === undefined)
    await rows.insert({ id, repositoryId, eventId: event.id });
}

/** In a unit of work. Forgetting twice changes nothing. */
export const forget = (rows: Rows<Told>, repositoryId: string): Promise<void> =>
  rows.deleteMany({ where: { repositoryId } });
