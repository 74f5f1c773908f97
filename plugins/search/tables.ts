// The table of the plugin "search": the queue of index work.
import { defineEntity, p, rows } from 'hexforge/plugin';
import type { QueuedWork } from 'hexforge/search';

export const QueueTable = defineEntity({
  name: 'search.Queue',
  tableName: 'search_queue',
  properties: {
    repositoryId: p.uuid().primary(),
    section: p.text().primary(),
    key: p.text().primary(),
    version: p.uuid(),
    background: p.boolean(),
    forced: p.boolean(),
    queuedAt: p.datetime(),
    dueAt: p.datetime(),
    attempts: p.integer(),
  },
});

export const queueRows = rows<QueuedWork>(QueueTable);
