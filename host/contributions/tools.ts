// Contributed MCP tools: the descriptor a plugin gives of one tool, and the registry an endpoint serves them from.
import type Joi from 'joi';
import type { TypeOf } from '#adapters/http/shape';
import type { AccessRule, CallOf, GrantOf } from '#core/kernel/access';
import { declarePort } from '#core/kernel/ports';
import type { Meter } from '#core/kernel/rate';
import type { ScopeName } from '#core/kernel/scopes';
import type { Life } from '../life.ts';

export interface ToolInput<I, A> {
  /** The arguments of the call, checked by `input`. */
  readonly input: I;
  /** The proof of a `permitted` rule, with the thing it resolved. */
  readonly granted: GrantOf<A>;
}

/** One MCP tool, as `tool` takes it. */
export interface ToolSpec<I, O, A extends AccessRule> {
  /** Unique among the tools of all plugins, snake_case: `list_branches`. */
  readonly name: string;
  /** The toolset it belongs to, one word: `repo`. Default: the name of the plugin. */
  readonly family?: string;
  /** What it does and when to use it, for the model that chooses. */
  readonly description: string;
  /**
   * Decided for each call, as of a route. A thing is found from `{owner}` and `{repo}` of the endpoint that was called.
   */
  readonly access: A;
  /** The row of the scope catalogue that a token must satisfy beside that of the endpoint; null where there is none. */
  readonly scope: ScopeName | null;
  /** Default `mcp.tool_call`. */
  readonly meter?: Meter;
  /** Unknown arguments are refused. Default: it takes none. */
  readonly input?: Joi.ObjectSchema<I>;
  /** What `run` answers: `structuredContent` of the result. */
  readonly output: Joi.ObjectSchema<O>;
  /** Throw the errors of the kernel: the caller is shown their sentences. */
  run(call: CallOf<A>, input: ToolInput<I, A>): Promise<O> | O;
}

/** A tool whose types have done their work, with its defaults. */
export type Tool = Omit<ToolSpec<unknown, unknown, AccessRule>, 'run' | 'meter' | 'input' | 'output'> & {
  readonly meter: Meter;
  readonly input?: Joi.ObjectSchema;
  readonly output: Joi.ObjectSchema;
  run(call: never, input: never): unknown;
};

/**
 * Declares one MCP tool. Shapes come from the schemas, the proof of access from `access`.
 *
 * @example
 *   tools: ({ bells }) => [
 *     tool({
 *       name: 'list_bells',
 *       description: 'Lists the bells of the repository',
 *       access: reads('repository', 'repo.read'),
 *       scope: 'repo.read',
 *       input: shape({ limit: count().max(100).default(30) }),
 *       output: shape({ bells: list(word()) }),
 *       run: async (_call, { input: { limit }, granted }) => ({ bells: await bells.of(granted.resource.id, limit) }),
 *     }),
 *   ],
 */
export function tool<const A extends AccessRule, O extends Joi.ObjectSchema, I = Record<never, never>>(
  spec: Omit<ToolSpec<I, TypeOf<O>, A>, 'output'> & { readonly output: O },
): Tool {
  return { ...spec, meter: spec.meter ?? 'mcp.tool_call' } as unknown as Tool;
}

export interface RegisteredTool {
  readonly plugin: string;
  readonly tool: Tool & { readonly family: string };
}

/** The tools of the plugins that run, in the order of the configuration. Provided by the host. */
export interface ToolRegistry {
  tools(): readonly RegisteredTool[];
}

declare module '#core/kernel/ports' {
  interface Ports {
    ToolRegistry: ToolRegistry;
  }
}

declarePort('ToolRegistry', { arity: 'single', component: 'registry of tools', critical: false, absent: 'refuse' });

/** Follows the plugins: the tools of one that failed are gone. */
export const livingTools = (lives: readonly Life[]): ToolRegistry => ({
  tools: () =>
    lives
      .filter(({ usable }) => usable)
      .flatMap(({ name, made }) =>
        (made?.tools ?? []).map((one) => ({ plugin: name, tool: { ...one, family: one.family ?? name } })),
      ),
});
