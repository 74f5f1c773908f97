// The git back end for machines without a git program.
import { definePlugin, Joi, maybe, shape } from 'hexforge/plugin';
import { gitWasm } from '#adapters/git-wasm/index';

const MiB = 1024 ** 2;

export default definePlugin({
  name: 'git-wasm',
  version: '0.1.0',
  api: '^0.2.0',
  config: shape({
    max_push_bytes: Joi.number()
      .integer()
      .min(1024)
      .max(1024 * MiB)
      .default(200 * MiB)
      .description('The most bytes of pack one push may carry'),
    max_repository_bytes: Joi.number()
      .integer()
      .min(1024)
      .max(1024 * MiB)
      .default(200 * MiB)
      .description('The most bytes of objects a repository may have; a push that would exceed it is refused'),
    threads: maybe(
      Joi.number()
        .integer()
        .min(1)
        .max(64)
        .description('Threads for computations, and as many for clones and pushes; absent, one per core and at most 4'),
    ),
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
    transfer_seconds: Joi.number()
      .integer()
      .min(1)
      .default(600)
      .description('Seconds the computation of a clone or push may take'),
    idle_seconds: Joi.number()
      .integer()
      .min(1)
      .default(120)
      .description('Seconds without a byte after which a clone or push is given up'),
    heap_megabytes: Joi.number()
      .integer()
      .min(128)
      .default(512)
      .description('Megabytes of JavaScript heap one thread may use before it is ended'),
  }),
  needs: ['CurrentCaller'],
  build: ({ config, instance, log, CurrentCaller }) =>
    gitWasm({
      root: `${instance.dataDir}/repositories`,
      log,
      caller: () => CurrentCaller.key(),
      limits: {
        pushBytes: config.max_push_bytes,
        repositoryBytes: config.max_repository_bytes,
        computeSeconds: config.compute_seconds,
        mergeSeconds: config.merge_seconds,
        idleSeconds: config.idle_seconds,
        transferSeconds: config.transfer_seconds,
        heapMegabytes: config.heap_megabytes,
        ...(config.threads === undefined ? {} : { computeThreads: config.threads }),
      },
    }),
  provides: { GitBackend: (git) => git },
  start: async (git) => await git.sweep(),
  stop: (git) => git.close(),
});
