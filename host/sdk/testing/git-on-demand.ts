// Starts git only on demand, so that tests that do not use git start no git process.
import type { PluginDefinition } from '#host/plugin/definition';
import type { GitBackend } from '#core/repositories/index';

/** Wraps a provider of GitBackend: it is started at the first call other than the creation of an empty repository. */
export function gitOnDemand(definition: PluginDefinition): PluginDefinition {
  const provide = definition.provides?.GitBackend;
  if (provide === undefined) return definition;
  let started: Promise<unknown> | undefined;
  const wanted = new Map<string, Parameters<GitBackend['create']>[1]>();
  const { start: _start, ...rest } = definition;
  return {
    ...rest,
    provides: {
      ...definition.provides,
      GitBackend: (parts, context) => {
        const git = provide(parts, context);
        const begin = async (): Promise<void> => {
          await definition.start?.(parts, context);
          await Promise.all([...wanted].map(([repository, options]) => git.create(repository, options)));
        };
        const create: GitBackend['create'] = async (repository, options) => {
          if (started === undefined) wanted.set(repository, options);
          else {
            await started;
            await git.create(repository, options);
          }
        };
        return new Proxy(git, {
          get(target, name) {
            if (name === 'create') return create;
            const member: unknown = Reflect.get(target, name);
            if (typeof member !== 'function') return member;
            // The only synchronous method of a git back end.
            if (name === 'isLegalName') return target.isLegalName.bind(target);
            return async (...rest: readonly unknown[]): Promise<unknown> => {
              await (started ??= begin());
              return Reflect.apply(member, target, rest);
            };
          },
        });
      },
    },
    stop: async (parts, context) => {
      await started?.catch(() => undefined);
      if (started !== undefined) await definition.stop?.(parts, context);
    },
  };
}
