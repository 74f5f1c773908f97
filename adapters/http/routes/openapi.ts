// Generates the OpenAPI 3.1 document from the descriptors and schemas that serve requests.
import { setImmediate as turn } from 'node:timers/promises';
import type Joi from 'joi';
import type { ScopeCatalogue } from '#core/kernel/access/scopes';
import { errorEnvelope, errorShape } from '../reply/answers.ts';
import { sessionCookie } from '../request/credentials.ts';
import { schemaRegistry, type JsonSchema, type SchemaRegistry } from './json-schema.ts';
import { STATUS_CODES } from '../overload/node-http.ts';
import type { Route } from '../descriptor/route.ts';
import { pathOf, type AbsentPort, type OwnedRoute } from './routes.ts';
import { impliedStatuses } from '../descriptor/statuses.ts';

const bytes: JsonSchema = { type: 'string', format: 'binary' };

export interface DocumentParts {
  readonly routes: readonly OwnedRoute[];
  readonly scopes: ScopeCatalogue;
  readonly absentPort: AbsentPort;
  readonly baseUrl: string;
  readonly version: string;
  /** Called for an operation that cannot be included in the document. */
  readonly unshown: (of: { readonly plugin: string; readonly route: string; readonly error: unknown }) => void;
}

/** Builds the document with a pause after each operation, because it takes one or two seconds in all. */
export async function openapiDocument(parts: DocumentParts): Promise<object> {
  const { routes, scopes, absentPort, baseUrl, version, unshown } = parts;
  const registry = schemaRegistry();
  registry.of(errorEnvelope, 'output');
  const shown = routes.filter(
    ({ route }) =>
      route.hidden !== true &&
      route.result !== 'html' &&
      !(route.requires ?? []).some((name) => absentPort(name)?.absent === 'hidden'),
  );
  /** An operation whose schemas cannot be converted, such as a recursive one, is left out of the document. */
  const showing = <T>({ plugin, route }: OwnedRoute, show: () => T): readonly T[] => {
    try {
      return [show()];
    } catch (error) {
      unshown({ plugin, route: route.id, error });
      return [];
    }
  };
  // Answers are converted first, so that a schema that is both sent and received gives its plain name to the sent form.
  const operations = [];
  for (const owned of shown) {
    await turn();
    operations.push(...showing(owned, () => ({ ...owned, responses: responses(owned.route, registry, absentPort) })));
  }
  const paths: Record<string, Record<string, object>> = {};
  for (const owned of operations) {
    await turn();
    const { plugin, route, responses: answers } = owned;
    const path = pathOf(route).replaceAll(/\{(\w+)[?*]\d*\}/g, '{$1}');
    for (const operation of showing(owned, () => ({
      operationId: route.id,
      summary: route.summary,
      tags: [plugin],
      ...parameters(route, registry),
      ...requestBody(route, registry),
      responses: answers,
      security: security(route),
      ...(route.deprecated === true && { deprecated: true }),
      'x-access': route.access,
      'x-meter': route.meter,
      ...(route.scope === null ? {} : { 'x-scope': scopes.row(route.scope) }),
    })))
      (paths[path] ??= {})[route.method.toLowerCase()] = operation;
  }
  const schemas: Record<string, JsonSchema> = {};
  for (const [name, schema] of registry.components()) {
    await turn();
    schemas[name] = schema;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hexforge',
      version,
      description: 'The REST API of this instance. Operations of plugins that are off are absent.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(shown.map(({ plugin }) => plugin))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A session, personal access or OAuth2 access token' },
        basic: { type: 'http', scheme: 'basic', description: 'A token as the password' },
        client: { type: 'http', scheme: 'basic', description: 'An OAuth2 client: its id and secret' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie,
          description: 'The session cookie, where an operation reads it',
        },
      },
    },
  };
}

function security(route: Route): readonly object[] {
  const { access } = route;
  if (route.ownCredentials === true) return [{}, { client: [] }];
  const open = access.who === 'anyone' || (access.who === 'permitted' && !access.needsUser);
  return [...(open ? [{}] : []), { bearer: [] }, { basic: [] }, ...(route.cookies === true ? [{ session: [] }] : [])];
}

/**
 * Paging parameters. Values that are not integers count as absent, so the schemas accept every text; the document
 * declares integers.
 */
const paging: ReadonlySet<string> = new Set(['page', 'per_page', 'limit', 'offset']);

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

function parameters(route: Route, registry: SchemaRegistry): { readonly parameters?: readonly object[] } {
  const declared = (schema: Joi.ObjectSchema | undefined): ObjectSchema =>
    schema === undefined ? {} : registry.of(schema, 'input');
  const inPath = declared(route.params);
  const inQuery = declared(route.query);
  const entry = (place: 'path' | 'query', name: string, schema: JsonSchema, required: boolean): object => {
    const { description, ...rest } = schema;
    return {
      name,
      in: place,
      required,
      ...(description === undefined ? {} : { description }),
      schema: place === 'query' && paging.has(name) && rest['type'] === 'string' ? { type: 'integer' } : rest,
    };
  };
  const list = [
    ...[...pathOf(route).matchAll(/\{(\w+)/g)].map(([, name = '']) =>
      entry('path', name, inPath.properties?.[name] ?? { type: 'string' }, true),
    ),
    ...Object.entries(inQuery.properties ?? {}).map(([name, schema]) =>
      entry('query', name, schema, inQuery.required?.includes(name) === true),
    ),
  ];
  return list.length === 0 ? {} : { parameters: list };
}

function requestBody({ body, form }: Route, registry: SchemaRegistry): { readonly requestBody?: object } {
  if (body === undefined) return {};
  if (body === 'raw')
    return { requestBody: { required: true, content: { 'application/octet-stream': { schema: bytes } } } };
  if (body === 'json') return { requestBody: { required: true, content: { 'application/json': { schema: {} } } } };
  const schema = registry.of(body, 'input');
  return {
    requestBody: {
      required: '$ref' in schema || (schema as ObjectSchema).required !== undefined,
      content: { [form === true ? 'application/x-www-form-urlencoded' : 'application/json']: { schema } },
    },
  };
}

function responses(route: Route, registry: SchemaRegistry, absentPort: AbsentPort): Readonly<Record<string, object>> {
  const unavailable = (route.requires ?? []).some((name) => absentPort(name) !== undefined) ? [503] : [];
  const problem = registry.of(errorShape(route), 'output');
  const refusal = { content: { 'application/json': { schema: problem } } };
  return {
    ...Object.fromEntries(
      [...impliedStatuses(route), ...unavailable].map((status) => [
        status,
        {
          description: STATUS_CODES[status] ?? 'Answer',
          // If an operation has a second success status, such as 201 beside 200, the body is the same.
          ...(status < 300 ? content(route, registry) : status < 400 ? {} : refusal),
        },
      ]),
    ),
    default: {
      description:
        'What any operation may meet: a request that is no valid HTTP, a fault (500), a component that is not ' +
        'available (503), a token that is bound to another resource (403), an answer over the bound of all (422), a disk that is full (507)',
      ...refusal,
    },
  };
}

function content({ result }: Route, registry: SchemaRegistry): { readonly content?: object } {
  if (result === 'html' || result === 'empty') return {};
  if (result === 'bytes') return { content: { '*/*': { schema: bytes } } };
  return { content: { 'application/json': { schema: registry.of(result, 'output') } } };
}
