// The plugin "search-opensearch": the index of the site-wide search in OpenSearch, for large instances.
import { count, definePlugin, Joi, maybe, shape } from 'hexforge/plugin';
import { openSearch } from '#adapters/opensearch/index';

export default definePlugin({
  name: 'search-opensearch',
  version: '0.1.0',
  api: '^0.2.0',
  config: shape({
    url: Joi.string()
      .uri({ scheme: ['http', 'https'] })
      .default('http://127.0.0.1:9200')
      .meta({ secret: true })
      .description('Address of OpenSearch: http[s]://[user:password@]host[:port][/path]'),
    ca_file: maybe(Joi.string().description('File of the certificates (PEM) to trust; absent: those that Node trusts')),
    username: maybe(Joi.string().max(256).description('User name, instead of the one in the address')),
    password: maybe(
      Joi.string()
        .max(1024)
        .meta({ secret: true })
        .description('Password of the user, instead of the one in the address'),
    ),
    authorization: maybe(
      Joi.string()
        .max(8192)
        .pattern(/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/)
        .meta({ secret: true })
        .description('The whole header Authorization, such as `Bearer TOKEN`, instead of a user name and a password'),
    ),
    index_prefix: Joi.string()
      .pattern(/^[a-z][a-z0-9_-]{0,49}$/)
      .default('hexforge')
      .description('Name of the alias that answers, and the beginning of the names of the indexes'),
    shards: count()
      .min(1)
      .max(64)
      .default(1)
      .description('Shards of an index, from its next rebuild on; one for each 30 GB'),
    timeout_ms: count()
      .min(100)
      .max(4000)
      .default(3000)
      .description('Milliseconds after which a query fails, and the search is answered without results'),
  }),
  environment: { OPENSEARCH_URL: 'url' },
  onFailure: 'isolate',
  build: ({ config, log }) =>
    openSearch({
      url: config.url,
      caFile: config.ca_file,
      username: config.username,
      password: config.password,
      authorization: config.authorization,
      prefix: config.index_prefix,
      shards: config.shards,
      timeout: config.timeout_ms,
      log,
    }),
  provides: { SearchBackend: ({ backend }) => backend },
  probes: ({ complaint }) => [{ name: 'opensearch', check: async () => complaint() }],
  start: ({ open }) => open(),
  stop: ({ close }) => close(),
});
