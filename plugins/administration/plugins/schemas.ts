// The JSON shapes of the plugin inventory. Its records are plain objects, and are sent unchanged.
import { count, flag, Joi, list, orNull, shape, text, word } from 'hexforge/plugin';

const names = () => list(word());

const routeJson = shape({
  id: word(),
  method: word(),
  path: word(),
  access: word(),
  scope: orNull(word()),
}).id('PluginRoute');

export const pluginJson = shape({
  name: word(),
  version: orNull(word()),
  origin: word(),
  enabled: flag(),
  state: word(),
  reason: orNull(text()),
  remedy: orNull(text()),
  parked: count(),
  provides: names(),
  needs: names(),
  late: names(),
  routes: list(routeJson),
  tables: names(),
  references: names(),
  config: names(),
  environment: names(),
  settings: names(),
  repository_settings: names(),
  reads: names(),
  events: shape({ handles: names(), emits: names() }).id('PluginEvents'),
  audits: names(),
  jobs: list(shape({ name: word(), seconds: Joi.number().min(0) }).id('PluginJob')),
  probes: names(),
  permissions: names(),
  scopes: names(),
  tools: names(),
  indexers: names(),
  pages: names(),
  channels: names(),
  outbound: names(),
  untold: names(),
}).id('Plugin');
