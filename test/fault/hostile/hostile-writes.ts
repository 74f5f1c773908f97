// Every write request for one repository: the routes of the OpenAPI document with bodies at the limits of their
// schemas, and bodies of the maximum length.
import { operations, type Document } from '#test/support/clients/openapi';
import { task } from './hostile-items.ts';
import { fillingOf, madeUp, type Places, type Pushed } from './hostile-paths.ts';
import type { HostileRequest } from './hostile-requests.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** A text in the bodies that the sender may replace, so that names are new. */
export const salt = 'hostile-salt';
/** Operations that are not requested, because they would end the session of the walk. */
const spared = new Set(['authLogout', 'authRefresh']);
const longest = { text: 60_000, list: 200, body: 1024 ** 2 - 1024 } as const;
const name = `${salt}${'n'.repeat(20)}`;
const url = `https://example.com/${'u'.repeat(1900)}`;
/** Values for members that must be valid, so that the request is not rejected at once; undefined omits the member. */
const meaning: Readonly<Record<string, unknown>> = {
  name,
  username: name,
  email: `${salt}@example.com`,
  password: `${salt}${'p'.repeat(200)}`,
  owner: undefined,
  is_private: undefined,
  base_ref: 'main',
  branch: 'main',
  ref: 'main',
  default_branch: 'main',
  source_branch: 'main',
  target_branch: 'first',
  visibility: 'public',
  content: Buffer.alloc(600_000, 'line\n').toString('base64'),
  sha: undefined,
  date: '2026-01-01T00:00:00Z',
  due_date: '2026-01-01',
  release_date: '2026-01-01',
  expires_at: null,
  color: 'ff0000',
  avatar_url: url,
  homepage_url: url,
  logo_url: url,
  new_password: 'p'.repeat(250),
  is_active: undefined,
  settings: [],
  issue_code: undefined,
  issue_type: undefined,
  issue_type_id: task,
  parent_id: undefined,
  parent_number: 2,
  target_number: 2,
  commit_sha: undefined,
  file_path: undefined,
  line_number: undefined,
  role: 'member',
  role_template_id: undefined,
  permissions: Array.from({ length: longest.list }, () => 'repo.read'),
  push_roles: Array.from({ length: 50 }, () => 'write'),
  scopes: ['read:repo'],
  redirect_uris: Array.from({ length: 10 }, (_, index) => `https://${salt}.example.com/${index}/${'r'.repeat(1900)}`),
};
/** Members that are omitted: renaming the repository would break the following requests. */
const unmeant: Readonly<Record<string, readonly string[]>> = { repositoryUpdate: ['name'] };

/** A value at the limits of a schema. */
function worst(schema: Schema, member: string, named: Readonly<Record<string, Schema>>): unknown {
  const { $ref, anyOf, items, type } = schema;
  if (member in meaning) return meaning[member];
  if ($ref !== undefined) return membersOf(schema, named);
  if (anyOf !== undefined) return worst(anyOf.at(-1) ?? {}, member, named);
  if (schema.enum !== undefined) return schema.enum.at(-1);
  switch (typeof type === 'string' ? type : type?.[0]) {
    case 'object':
      return membersOf(schema, named);
    case 'array':
      // An id that does not exist would be rejected at once, so the list is empty.
      return items?.format === 'uuid'
        ? []
        : Array.from({ length: Math.min(schema.maxItems ?? longest.list, longest.list) }, () =>
            worst(items ?? {}, '', named),
          );
    case 'integer':
    case 'number':
      return schema.maximum ?? Number.MAX_SAFE_INTEGER;
    case 'boolean':
      return true;
    default:
      if (schema.format === 'uuid') return Array.isArray(type) ? null : madeUp;
      return `${salt}${'\u{1f419}a '.repeat(longest.text)}`.slice(0, schema.maxLength ?? longest.text).trimEnd();
  }
}

function membersOf(
  { $ref, ...schema }: Schema,
  named: Readonly<Record<string, Schema>>,
  without: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  const { properties = {} } = $ref === undefined ? schema : (named[$ref.split('/').at(-1) ?? ''] ?? {});
  const members = Object.entries(properties).filter(([member]) => !without.includes(member));
  return Object.fromEntries(members.map(([member, inner]) => [member, worst(inner, member, named)]));
}

/** Deep nesting, many values, and a long text. */
const bounds: readonly string[] = [
  `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  `{${Array.from({ length: 9900 }, (_, index) => `"m${index}":[{}]`).join(',')}}`,
  `{"a":"${'\\u0001'.repeat(longest.body / 6)}"}`,
];

/** Bytes as latin1 characters. */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

export function hostileWrites(document: Document, pushed: Pushed, places?: Places): HostileRequest[] {
  const changed = fillingOf(pushed, places);
  // Deletions get ids that do not exist, because deleted objects could not be requested again.
  const deleted = fillingOf(pushed);
  const named = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  return operations(document)
    .filter(({ id, method }) => method !== 'GET' && !spared.has(id))
    .flatMap(({ id, method, path, entry }) => {
      const { content = {} } = (entry['requestBody'] ?? {}) as {
        readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
      };
      const bodies = Object.entries(content).flatMap(([type, { schema = {} }]) => {
        const value = membersOf(schema, named, unmeant[id]);
        const texts = type.includes('form')
          ? [
              new URLSearchParams(
                Object.entries(value).map(([member, one]) => [member, String(one).slice(0, 1000)]),
              ).toString(),
            ]
          : [bytesOf(JSON.stringify(value)), ...bounds];
        return texts.map((body) => ({ headers: { 'content-type': type }, body }));
      });
      const targets = (method === 'DELETE' ? deleted : changed).filled(path).toReversed();
      return (bodies.length === 0 ? [{}] : bodies).map((body, index): HostileRequest => ({
        route: `${method} ${path.replace('/api/v1', '')}`,
        method,
        path: targets[index % targets.length] ?? path,
        ...body,
        streams: false,
      }));
    });
}
