// The git back end, which runs the machine's git program.
import { definePlugin, Joi, maybe, shape, Unavailable } from 'hexforge/plugin';
import { gitNative, installedVersion } from '#adapters/git-native/index';

export default definePlugin({
  name: 'git-native',
  version: '0.1.0',
  api: '^0.2.0',
  config: shape({
    program: Joi.string()
      .default('git')
      .description('The git program: a name on the standard path, or an absolute path'),
    max_push_bytes: Joi.number()
      .integer()
      .min(1024)
      .default(2 * 1024 ** 3)
      .description('The most bytes of pack one push may carry'),
    transfers: maybe(
      Joi.number()
        .integer()
        .min(1)
        .description('Clones, fetches and pushes served at once; absent, 8 per core and at least 16'),
    ),
    transfer_seconds: Joi.number().integer().min(1).default(3600).description('Seconds a clone or push may take'),
    idle_seconds: Joi.number()
      .integer()
      .min(1)
      .default(120)
      .description('Seconds without a byte of a pack after which a clone or push is given up'),
    compute_seconds: Joi.number()
      .integer()
      .min(1)
      .default(10)
      .description('Seconds one blame, difference, walk of history or count of languages may take'),
    merge_seconds: Joi.number()
      .integer()
      .min(1)
      .default(60)
      .description('Seconds one merge may take before it is answered with 504'),
    memory_bytes: Joi.number()
      .integer()
      .min(64 * 1024 ** 2)
      .default(288 * 1024 ** 2)
      .description(
        'Memory in bytes that what git computes or takes in may hold in all; more for pushes of millions of objects',
      ),
    transfer_memory_bytes: Joi.number()
      .integer()
      .min(64 * 1024 ** 2)
      .default(512 * 1024 ** 2)
      .description(
        'Memory in bytes that what serves clones, fetches and forks may hold in all; more for two million objects and up',
      ),
    allocation_bytes: Joi.number()
      .integer()
      .min(32 * 1024 ** 2)
      .default(256 * 1024 ** 2)
      .description(
        'The most bytes git may allocate in one piece for what was pushed, such as a file that is stored as a delta',
      ),
    readers: Joi.number()
      .integer()
      .min(1)
      .max(256)
      .default(24)
      .description('Object reader processes (git cat-file) kept at once'),
  }),
  async preflight({ program }) {
    try {
      await installedVersion(program);
      return [];
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return [{ message: error.message, remedy: 'Without git, some differences apply: docs/git-wasm.md' }];
    }
  },
  needs: ['CurrentCaller'],
  environment: { HEXFORGE_GIT_PATH: 'program' },
  build: ({ config, instance, log, CurrentCaller }) =>
    gitNative({
      root: `${instance.dataDir}/repositories`,
      log,
      caller: () => CurrentCaller.key(),
      gitPath: config.program,
      limits: {
        pushBytes: config.max_push_bytes,
        transferSeconds: config.transfer_seconds,
        idleSeconds: config.idle_seconds,
        readers: config.readers,
        computeSeconds: config.compute_seconds,
        mergeSeconds: config.merge_seconds,
        memoryBytes: config.memory_bytes,
        transferMemoryBytes: config.transfer_memory_bytes,
        allocationBytes: config.allocation_bytes,
        ...(config.transfers === undefined ? {} : { transfers: config.transfers }),
      },
    }),
  provides: { GitBackend: (git) => git },
  start: async (git, { log }) => {
    const version = await git.version();
    await git.sweep();
    log.info({ version: version.text }, 'git is ready');
  },
  stop: (git) => git.close(),
});
