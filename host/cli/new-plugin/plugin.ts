// The plugin "sample-plugin": notes on a repository, for callers who may read it, added by callers who may write to it.
import {
  api,
  changes,
  defineEntity,
  definePlugin,
  list,
  p,
  reads,
  rows,
  shape,
  uuid,
  word,
  type Granted,
  type Migration,
  type TypeOf,
  type User,
} from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';

interface Note {
  readonly id: string;
  readonly repositoryId: string;
  readonly author: string;
  readonly text: string;
}

const NoteTable = defineEntity({
  name: 'SamplePluginNote',
  tableName: 'sample_plugin_note',
  properties: { id: p.uuid().primary(), repositoryId: p.uuid(), author: p.text(), text: p.text() },
});

/** A released migration must never change; the next change of the table is a new migration. */
const notes: Migration = {
  name: '001-notes',
  up: [
    `create table sample_plugin_note (
      id uuid primary key, repository_id uuid not null references repositories_repository (id) on delete cascade,
      author text not null, text text not null
    )`,
  ],
};

const noteBody = shape({ text: word().max(1000) }).id('SamplePluginNewNote');
const noteJson = shape({ id: uuid(), author: word(), text: word() }).id('SamplePluginNote');
const notesJson = shape({ items: list(noteJson) }).id('SamplePluginNotes');

const present = ({ id, author, text }: Note): TypeOf<typeof noteJson> => ({ id, author, text });

export default definePlugin({
  name: 'sample-plugin',
  version: '1.0.0',
  api: '^0.2.0',
  needs: ['UnitOfWork', 'Ids', 'Repositories'],
  stores: {
    notes: rows<Note>(NoteTable, {
      references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
    }),
  },
  entities: [NoteTable],
  tables: ['sample_plugin_note'],
  references: ['repositories_repository'],
  migrations: [notes],

  build: ({ stores, UnitOfWork, Ids }) => ({
    list: ({ resource }: Granted<Repository, 'repo.read'>) =>
      stores.notes.find({ where: { repositoryId: resource.id }, orderBy: ['id'] }),
    add: ({ resource, call }: Granted<Repository, 'repo.write', User>, text: string) =>
      UnitOfWork.run(() =>
        stores.notes.insert({ id: Ids.uuid(), repositoryId: resource.id, author: call.caller.username, text }),
      ),
  }),

  // Served below /api/v1/x/sample-plugin.
  routes: (useCases) => [
    api({
      id: 'samplePluginNoteList',
      summary: 'List notes',
      method: 'GET',
      path: '/{owner}/{repo}/notes',
      access: reads('repository', 'repo.read'),
      scope: 'repo.read',
      result: notesJson,
      run: async (_call, { granted }) => ({ items: (await useCases.list(granted)).map(present) }),
    }),
    api({
      id: 'samplePluginNoteAdd',
      summary: 'Add a note',
      method: 'POST',
      path: '/{owner}/{repo}/notes',
      access: changes('repository', 'repo.write'),
      scope: 'repo.write',
      body: noteBody,
      success: 201,
      result: noteJson,
      run: async (_call, { granted, body }) => present(await useCases.add(granted, body.text)),
    }),
  ],
});
