// The JSON shapes of role templates.
import { list, maybe, shape, text, time, uuid, word } from 'hexforge/plugin';

export const permissions = () => list(word().max(100)).max(200);

export const templateBody = shape({ name: word(), permissions: permissions() }).id('RoleTemplateCreate');

export const templateChangeBody = shape({ name: maybe(word()), permissions: maybe(permissions()) }).id(
  'RoleTemplateUpdate',
);

export const templateJson = shape({
  id: uuid(),
  name: text(),
  permissions: permissions(),
  created_at: time(),
  updated_at: time(),
}).id('RoleTemplate');
