// The stores of role templates, in SQL and in memory.
import { rows, type MemoryDatabase, type Rows, type SqlDatabase } from 'hexforge/plugin';
import { nameKey, roleTemplateName, type RoleTemplate, type RoleTemplateStore } from 'hexforge/repositories';
import { RoleTemplateTable } from '../tables.ts';

interface Row extends RoleTemplate {
  readonly nameKey: string;
}

const templates = rows<Row>(RoleTemplateTable, {
  uniques: { [roleTemplateName]: ['repositoryId', 'nameKey'] },
  references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
});

const template = ({ nameKey: _, ...entity }: Row): RoleTemplate => entity;

const storeOf = (all: Rows<Row>): RoleTemplateStore => ({
  list: async (repositoryId) => (await all.find({ where: { repositoryId }, orderBy: ['nameKey'] })).map(template),
  async byId(id) {
    const row = await all.findOne({ id });
    return row && template(row);
  },
  async insert(added) {
    await all.insert({ ...added, nameKey: nameKey(added.name) });
  },
  async update(id, { name, ...patch }) {
    const changes = { ...patch, ...(name !== undefined && { name, nameKey: nameKey(name) }) };
    return (await all.update({ id }, changes)) !== undefined;
  },
  delete: async (id) => (await all.delete({ id })) !== undefined,
});

export const roleTemplateStore = {
  sql: (database: SqlDatabase) => storeOf(templates.sql(database)),
  memory: (database: MemoryDatabase) => storeOf(templates.memory(database)),
};
