// The tools of one request: those that the caller may use, and the calls of them.
import { anyone, type AccessDecision, type AccessRule, type Granted } from '#core/kernel/access/access';
import type { ScopeName } from '#core/kernel/access/scopes';
import type { Call, User } from '#core/kernel/caller';
import { HexforgeError, TimedOut, ValidationFailed } from '#core/kernel/errors';
import type { Log } from '#core/kernel/services/log';
import type { ListedTool, Serving, ToolResult } from './ports.ts';
import { instructions, titleOf } from './words.ts';
import { mostText, prepared, sentences } from './texts.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A tool of a running plugin. */
export interface OfferedTool {
  readonly plugin: string;
  readonly name: string;
  readonly family: string;
  readonly title?: string;
  readonly description: string;
  readonly access: AccessRule;
  readonly scope: ScopeName | null;
  /** JSON Schemas of the arguments and of the result. */
  readonly schemas: () => { readonly input: Schema; readonly output: Schema };
  /** The validated arguments. @throws {HexforgeError} */
  readonly check: (args: unknown) => unknown;
  readonly run: (call: never, input: never) => unknown;
}

/** The dependencies of calls. */
export interface ToolParts {
  readonly access: AccessDecision;
  readonly tools: () => readonly OfferedTool[];
  readonly log: Log;
  /** The time limit of a call in milliseconds. */
  readonly callMs?: number;
}

/** The row of the scope catalogue that the endpoint needs, and each tool that names none. */
export const endpointScope = 'mcp.read' satisfies ScopeName;
const usualCallMs = 30_000;
/** The most characters of a result as JSON. Texts are cut before; what remains is the size of lists. */
const mostJson = 4 * mostText;

/** The granted access to the endpoint. */
type Reading<R> = Granted<R, 'repo.read', User>;
type Params = Readonly<Record<string, string>>;

const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
/** Members that the endpoint adds to a result which it had to cut. */
const added = {
  truncated: { type: 'boolean', description: 'true: the result is not complete; "note" tells how to go on' },
  note: { type: 'string', description: 'How to get what is missing' },
} as const;

const cutNote =
  'Long texts were shortened and end in "…". Ask for fewer items with "limit", or for a single one, to get more of each.';

/** The hint for a missing thing whose error has none. */
const whatExists = 'The tools whose names begin with "list_" or "search_" tell what exists';

/** @throws {ValidationFailed} for a text that no database can store. */
function checkTexts(value: unknown): void {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()))
    throw new ValidationFailed('The arguments are not valid', {
      detail: 'Text must not contain a NUL character or half of a surrogate pair',
    });
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) checkTexts(inner);
}

/**
 * Aborts `work` at the time limit, and when the client disconnects. The wait ends at once, even if the work does not.
 * @throws {TimedOut} at the time limit.
 */
async function endsWithin<T>(ms: number, left: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = AbortSignal.timeout(ms);
  const signal = AbortSignal.any([left, over]);
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (): void =>
    reject(
      over.aborted
        ? new TimedOut('The tool took too long', {
            detail: 'Ask for less: a smaller "limit", a narrower path or a more exact query',
          })
        : (signal.reason as Error),
    );
  signal.addEventListener('abort', end, { once: true });
  const answer = work(signal);
  // A failure after the end must not become an unhandled rejection.
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, ended]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Builds the tools of requests. */
export function toolset({ access, tools, log, callMs = usualCallMs }: ToolParts) {
  /** Made once for each tool: schemas do not change while a plugin runs. */
  const listed = new WeakMap<OfferedTool['schemas'], ListedTool>();

  const show = (tool: OfferedTool): ListedTool => {
    const known = listed.get(tool.schemas);
    if (known !== undefined) return known;
    const { input, output } = tool.schemas();
    const title = tool.title ?? titleOf(tool.name);
    const shown: ListedTool = {
      name: tool.name,
      title,
      description: tool.description,
      inputSchema: input,
      outputSchema: { ...output, properties: { ...added, ...(output['properties'] as Schema | undefined) } },
      annotations: { title, ...readOnly },
    };
    listed.set(tool.schemas, shown);
    return shown;
  };

  /** Whether the caller may use the tool. Rules about the repository of the endpoint are decided without a query. */
  const mayUse = async <R>(granted: Reading<R>, { access: rule, scope }: OfferedTool, params: Params) => {
    const ofRepository = rule.who === 'permitted' && rule.resource === 'repository';
    if (ofRepository && !granted.may(rule.permission)) return false;
    try {
      await access.decide(granted.call, ofRepository ? anyone : rule, scope ?? endpointScope, params);
      return true;
    } catch (error) {
      if (error instanceof HexforgeError && error.kind !== 'internal') return false;
      throw error;
    }
  };

  const run = async (tool: OfferedTool, call: Call<User>, args: unknown, params: Params): Promise<ToolResult> => {
    checkTexts(args);
    const input: unknown = tool.check(args);
    const done = await endsWithin(callMs, call.signal, async (signal) => {
      const limited = { ...call, signal };
      const granted = await access.decide(limited, tool.access, tool.scope ?? endpointScope, params);
      return await (tool.run(limited as never, { input, granted } as never) as Schema | Promise<Schema>);
    });
    const { data: clean, cut } = prepared(done);
    const result = cut ? { ...clean, truncated: true, note: clean['note'] ?? cutNote } : clean;
    if (JSON.stringify(result).length <= mostJson) return { data: result };
    return { failed: 'The result is too large. Ask for less: a smaller "limit" or a narrower path' };
  };

  const failure = (error: unknown, { name, plugin }: OfferedTool, { requestId }: Call): ToolResult => {
    if (error instanceof HexforgeError && error.kind !== 'internal') {
      const hint = error.detail ?? (error.kind === 'not_found' ? whatExists : undefined);
      return { failed: sentences(hint === undefined ? error.message : `${error.message}. ${hint}`) };
    }
    log.error(
      { requestId, plugin, tool: name, stack: error instanceof Error ? error.stack : String(error) },
      'a tool failed',
    );
    return { failed: `The tool failed. Report it to the administrator with the request id ${requestId}` };
  };

  /** @param params the path parameters of the endpoint: `owner` and `repo`. */
  return <R>(granted: Reading<R>, params: Params): Serving => ({
    instructions: instructions(`${params['owner']}/${params['repo']}`),
    async list() {
      const usable: ListedTool[] = [];
      for (const tool of tools()) if (await mayUse(granted, tool, params)) usable.push(show(tool));
      return usable;
    },
    async call(name, args) {
      const tool = tools().find((one) => one.name === name);
      if (tool === undefined) return undefined;
      try {
        return await run(tool, granted.call, args, params);
      } catch (error) {
        return failure(error, tool, granted.call);
      }
    },
  });
}
