// Checks every answer of the suites against the OpenAPI document of the server under test.
import type { Answer } from './client.ts';

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface MediaType {
  readonly schema?: Schema;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** Relative to the server's root: `/api/v1/repos/{owner}/{repo}`. */
  readonly path: string;
  /** The name of its plugin, or `system` for operations of the server itself. */
  readonly tag: string;
  /** Status → content types with the members that a JSON body may have. An empty map means no body. */
  readonly answers: ReadonlyMap<number, ReadonlyMap<string, readonly string[]>>;
  readonly hasJsonBody: boolean;
  /** The names of its query parameters. */
  readonly queries: readonly string[];
  /** The complete entry of the document. */
  readonly entry: Readonly<Record<string, unknown>>;
}

export interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly tags?: readonly string[];
            readonly parameters?: readonly { readonly name: string; readonly in: string }[];
            readonly requestBody?: { readonly content?: Readonly<Record<string, MediaType>> };
            readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, MediaType>> }>>;
          }
        >
      >
    >
  >;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

export function operations(document: Document): Operation[] {
  const membersOf = (schema: Schema = {}): readonly string[] => {
    const named =
      schema.$ref === undefined ? schema : (document.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''] ?? {});
    return Object.keys(named.properties ?? {});
  };
  return Object.entries(document.paths).flatMap(([path, entries]) =>
    Object.entries(entries)
      .filter(([method]) => methods.includes(method))
      .map(([method, entry]) => ({
        id: entry.operationId,
        method: method.toUpperCase(),
        path,
        tag: entry.tags?.[0] ?? '',
        answers: new Map(
          Object.entries(entry.responses)
            .filter(([status]) => status !== 'default')
            .map(([status, { content = {} }]) => [
              Number(status),
              new Map(Object.entries(content).map(([type, { schema }]) => [type, membersOf(schema)])),
            ]),
        ),
        hasJsonBody: entry.requestBody?.content?.['application/json'] !== undefined,
        queries: (entry.parameters ?? []).filter((parameter) => parameter.in === 'query').map(({ name }) => name),
        entry: entry as unknown as Readonly<Record<string, unknown>>,
      })),
  );
}

/**
 * A path template as a regular expression: `{name}` matches one segment. The last parameter may match the rest of the
 * path, which OpenAPI cannot express.
 */
const expression = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split('/')
      .map((part, index, parts) => {
        const escaped = part.replaceAll(/[.+*?^$()|[\]\\]/g, '\\$&');
        return escaped.replaceAll(
          /\{[^}]+\}/g,
          index === parts.length - 1 && /^\{(?:path|ref|rest)\}$/.test(part) ? '.*' : '[^/]+',
        );
      })
      .join('/')}$`,
  );

/** Every pair of operation and status that the suite of this process has seen. */
export const seen = new Map<string, Set<number>>();

/** Errors of JSON-RPC are no errors of the API. */
const isRpc = (path: string, body: unknown): boolean =>
  path.startsWith('/api/v1/mcp/') && typeof body === 'object' && body !== null && 'jsonrpc' in body;

const envelope = new Set(['error', 'detail', 'error_code']);

/** Thrown if an answer and the document disagree, so that the test that made the request fails. */
export class ContractBroken extends Error {}

export class Contract {
  readonly #operations: readonly (Operation & { readonly matches: RegExp })[];

  constructor(document: Document) {
    // A literal segment has precedence over a parameter, as in the router.
    this.#operations = operations(document)
      .map((operation) => ({ ...operation, matches: expression(operation.path) }))
      .sort((a, b) => (rank(a.path) < rank(b.path) ? -1 : 1));
  }

  get operations(): readonly Operation[] {
    return this.#operations;
  }

  find(method: string, path: string): Operation | undefined {
    const { pathname } = new URL(path, 'http://here');
    return this.#operations.find((operation) => operation.method === method && operation.matches.test(pathname));
  }

  /** Checks one answer and records it. */
  hold(method: string, path: string, answer: Answer): void {
    const operation = this.find(method, path);
    const what = `${method} ${path} answered ${answer.status}`;
    if (answer.headers.get('x-request-id') === null && !path.includes('.git/'))
      throw new ContractBroken(`${what} without X-Request-Id`);
    if (answer.status >= 400 && answer.body !== undefined && !isRpc(path, answer.body))
      this.#holdError(what, answer.body, operation?.answers.get(answer.status)?.get('application/json') ?? []);
    // Any operation can answer 503 if a component is missing; which one depends on the instance.
    if (operation === undefined || (answer.status === 503 && !operation.answers.has(503))) return;
    // Any operation can also reject a token that is valid only for another audience.
    if (answer.status === 403 && codeOf(answer) === 'invalid_audience') return;
    seen.set(operation.id, (seen.get(operation.id) ?? new Set()).add(answer.status));
    const types = operation.answers.get(answer.status);
    if (types === undefined)
      throw new ContractBroken(
        `${what}, which OpenAPI does not list for "${operation.id}" (it lists ${[...operation.answers.keys()].join(', ')}): ${answer.text.slice(0, 300)}`,
      );
    const type = answer.headers.get('content-type')?.split(';')[0];
    if (types.size === 0 && answer.text !== '')
      throw new ContractBroken(`${what} with a body, and OpenAPI lists none for "${operation.id}"`);
    if (types.has('application/json') && types.size === 1 && answer.body === undefined)
      throw new ContractBroken(`${what} as ${type}, and OpenAPI lists JSON for "${operation.id}"`);
  }

  /** Checks the shared envelope; `more` are the members that an operation documents in addition. */
  #holdError(what: string, body: unknown, more: readonly string[]): void {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new ContractBroken(`${what} with a body that is no object`);
    const members = body as Readonly<Record<string, unknown>>;
    if (typeof members['error'] !== 'string' || members['error'] === '')
      throw new ContractBroken(`${what} without a sentence in "error"`);
    for (const name of envelope)
      if (members[name] !== undefined && typeof members[name] !== 'string')
        throw new ContractBroken(`${what} where "${name}" is no string`);
    const strange = Object.keys(members).find((name) => !envelope.has(name) && !more.includes(name));
    if (strange !== undefined)
      throw new ContractBroken(`${what} with the member "${strange}", which is not documented`);
  }
}

const codeOf = ({ body }: Answer): unknown => (body as { readonly error_code?: unknown } | undefined)?.error_code;

const rank = (path: string): string => path.replaceAll(/\{[^}]+\}/g, '~');
