// Contributed MCP tools: the descriptor of one tool, and the registry of all tools.
import type Joi from 'joi';
import { shape, type TypeOf } from '#adapters/http/descriptor/shape';
import { compile } from '#adapters/http/descriptor/validation';
import { plainSchema } from '#adapters/http/routes/json-schema';
import type { AccessRule, CallOf, GrantOf } from '#core/kernel/access/access';
import { declarePort } from '#core/kernel/ports';
import type { ScopeName } from '#core/kernel/access/scopes';

export interface ToolInput<I, A> {
  /** The arguments of the call, validated by `input`. */
  readonly input: I;
  /** The proof of a `permitted` rule, with the resolved resource. */
  readonly granted: GrantOf<A>;
}

/** The argument of `tool`: one MCP tool. */
export interface ToolSpec<I, O, A extends AccessRule> {
  /** Unique among the tools of all plugins, in snake_case: `list_branches`. */
  readonly name: string;
  /** A name for people. Default: the words of `name`. */
  readonly title?: string;
  /** The toolset of the tool, one word: `repo`. Default: the name of the plugin. */
  readonly family?: string;
  /**
   * Explains to the model that chooses a tool when to use this one, which other one to use instead, its cost, and the
   * tool to call next.
   */
  readonly description: string;
  /**
   * Decided for each call, like the access of a route. A resource is found by `{owner}` and `{repo}` of the called
   * endpoint.
   */
  readonly access: A;
  /**
   * The row of the scope catalogue that a token must satisfy in addition to that of the endpoint, `mcp.read`; null if
   * there is no such row, as for every tool that only reads what its caller can read.
   */
  readonly scope: ScopeName | null;
  /** Unknown arguments are rejected. Default: no arguments. */
  readonly input?: Joi.ObjectSchema<I>;
  /**
   * The shape of the value that `run` returns, sent as `structuredContent` of the result. The endpoint removes hidden
   * characters from its texts, and cuts texts that take more than 256 KiB together.
   */
  readonly output: Joi.ObjectSchema<O>;
  /** Errors of the kernel may be thrown; their messages are shown to the caller. */
  run(call: CallOf<A>, input: ToolInput<I, A>): Promise<O> | O;
}

/** A tool without its type parameters, with defaults applied. */
export type Tool = Omit<ToolSpec<unknown, unknown, AccessRule>, 'run' | 'input' | 'output'> & {
  readonly input?: Joi.ObjectSchema;
  readonly output: Joi.ObjectSchema;
  run(call: never, input: never): unknown;
};

/**
 * Declares one MCP tool. Types follow from the schemas, the type of `granted` from `access`.
 *
 * @example
 *   tools: ({ bells }) => [
 *     tool({
 *       name: 'list_bells',
 *       description: 'Lists the bells of the repository',
 *       access: reads('repository', 'repo.read'),
 *       scope: null,
 *       input: shape({ limit: count().max(100).default(30) }),
 *       output: shape({ bells: list(word()) }),
 *       run: async (_call, { input: { limit }, granted }) => ({ bells: await bells.of(granted.resource.id, limit) }),
 *     }),
 *   ],
 */
export function tool<const A extends AccessRule, O extends Joi.ObjectSchema, I = Record<never, never>>(
  spec: Omit<ToolSpec<I, TypeOf<O>, A>, 'output'> & { readonly output: O },
): Tool {
  return { ...spec } as unknown as Tool;
}

type JsonSchema = Readonly<Record<string, unknown>>;

export interface RegisteredTool {
  readonly plugin: string;
  readonly tool: Tool & { readonly family: string };
  /** The JSON Schemas of the arguments and of the result, without references. */
  schemas(): { readonly input: JsonSchema; readonly output: JsonSchema };
  /** The arguments with their defaults. @throws {ValidationFailed | UnknownField} naming the argument. */
  check(args: unknown): unknown;
}

const noArguments = shape({});

/** A tool with its plugin, and its schemas once they are used. */
export function registeredTool(tool: Tool, plugin: string): RegisteredTool {
  const { input = noArguments, output, family = plugin } = tool;
  const check = compile(input, 'tool');
  let schemas: ReturnType<RegisteredTool['schemas']> | undefined;
  return {
    plugin,
    tool: { ...tool, family },
    check: (args) => check(args),
    schemas: () => (schemas ??= { input: plainSchema(input, 'input'), output: plainSchema(output, 'output') }),
  };
}

/** The tools of running plugins, in the order of the configuration. Provided by the host. */
export interface ToolRegistry {
  tools(): readonly RegisteredTool[];
}

declare module '#core/kernel/ports' {
  interface Ports {
    ToolRegistry: ToolRegistry;
  }
}

declarePort('ToolRegistry', { arity: 'single', component: 'registry of tools', critical: false, absent: 'refuse' });
