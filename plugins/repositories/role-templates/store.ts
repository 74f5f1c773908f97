// The stores of role templates, in SQL and in memory.
import { rows, storeOf } from 'hexforge/plugin';
import { nameKey, roleTemplateName, type RoleTemplate, type RoleTemplateStore } from 'hexforge/repositories';
import { ofRepository, RoleTemplateTable } from '../tables.ts';

type Row = RoleTemplate & { readonly nameKey: string };

const template = ({ nameKey: _, ...entity }: Row): RoleTemplate => entity;

export const roleTemplateStore = storeOf(
  {
    templates: rows<Row>(RoleTemplateTable, {
      uniques: { [roleTemplateName]: ['repositoryId', 'nameKey'] },
      references: ofRepository,
    }),
  },
  ({ templates }): RoleTemplateStore => ({
    list: async (repositoryId) =>
      (await templates.find({ where: { repositoryId }, orderBy: ['nameKey'] })).map(template),
    async byId(id) {
      const row = await templates.findOne({ id });
      return row && template(row);
    },
    async insert(added) {
      await templates.insert({ ...added, nameKey: nameKey(added.name) });
    },
    async update(id, { name, ...patch }) {
      const changes = { ...patch, ...(name !== undefined && { name, nameKey: nameKey(name) }) };
      return (await templates.update({ id }, changes)) !== undefined;
    },
    delete: async (id) => (await templates.delete({ id })) !== undefined,
  }),
);
