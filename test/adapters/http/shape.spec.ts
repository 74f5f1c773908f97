// Shapes: types follow from the schemas, and required and optional members are the same in joi and JSON Schema.
import type Joi from 'joi';
import t from 'tap';
import { api } from '#adapters/http/descriptor/route';
import {
  count,
  flag,
  list,
  maybe,
  oneOf,
  orNull,
  pageOf,
  presentPage,
  shape,
  text,
  time,
  uuid,
  type TypeOf,
} from '#adapters/http/descriptor/shape';
import { anyone } from '#core/kernel/access/access';

const thing = shape({
  id: uuid(),
  bio: maybe(text().max(3)),
  last: orNull(time()),
  kind: oneOf('a', 'b'),
  tags: list(text()),
  open: flag().default(false),
  inner: maybe(shape({ n: count() })),
}).id('Thing');
type Thing = TypeOf<typeof thing>;

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same: Same<
  Thing,
  {
    readonly id: string;
    readonly last: string | null;
    readonly kind: 'a' | 'b';
    readonly tags: readonly string[];
    readonly open: boolean;
    readonly bio?: string;
    readonly inner?: { readonly n: number };
  }
> = true;
const samePage: Same<TypeOf<ReturnType<typeof pageOf<typeof thing>>>['items'], readonly Thing[]> = true;

const good = { id: '0b8f6c5e-0000-4000-8000-000000000001', last: null, kind: 'a', tags: ['x', ''] } as const;

/** Never called: only its types are checked. */
export function mistakes(): unknown {
  const common = {
    id: 'x',
    summary: '',
    method: 'GET',
    path: '/x',
    access: anyone,
    scope: null,
    meter: 'none',
  } as const;
  return [
    // @ts-expect-error a member of another type
    { ...good, tags: [], kind: 'c' } satisfies Thing,
    // @ts-expect-error a member is missing
    { last: null, kind: 'a', tags: [], open: true } satisfies Thing,
    // @ts-expect-error an optional member may not be undefined
    { ...good, kind: 'a', open: true, bio: undefined } satisfies Thing,
    api({ ...common, result: thing, run: () => ({ ...good, open: true }) }),
    // @ts-expect-error an answer of another shape
    api({ ...common, result: thing, run: () => ({ ...good, open: 1 }) }),
    api({
      ...common,
      query: thing,
      result: 'empty',
      run(_call, { query }) {
        void query.bio?.length;
        // @ts-expect-error a member that the schema lacks
        void query.size;
      },
    }),
  ];
}

void t.test('a shape accepts exactly the values of its type', async (t) => {
  t.ok(same && samePage);
  t.strictSame(thing.validate(good), { value: { ...good, open: false } });
  t.equal(thing.validate({ ...good, bio: 'abc', inner: { n: 0 } }).error, undefined);
  const refusals: readonly [object, string][] = [
    [{ ...good, id: undefined }, '"id" is required'],
    [{ ...good, last: undefined }, '"last" is required'],
    [{ ...good, bio: null }, '"bio" must be a string'],
    [{ ...good, bio: 'abcd' }, '"bio" length must be less than or equal to 3 characters long'],
    [{ ...good, kind: 'c' }, '"kind" must be one of [a, b]'],
    [{ ...good, inner: {} }, '"inner.n" is required'],
    [{ ...good, more: 1 }, '"more" is not allowed'],
  ];
  for (const [body, message] of refusals) t.equal(thing.validate(body).error?.message, message);
});

void t.test('JSON Schema keeps required members', async (t) => {
  const { jsonSchema } = (thing as Joi.Schema)['~standard'];
  const required = (schema: object): unknown => [...(schema as { required: string[] }).required].sort();
  const target = 'draft-2020-12';
  t.strictSame(required(jsonSchema.input({ target })), ['id', 'kind', 'last', 'tags']);
  t.strictSame(
    required(jsonSchema.output({ target })),
    ['id', 'kind', 'last', 'open', 'tags'],
    'defaulted members are present',
  );
});

void t.test('a named shape may be used twice in another', async (t) => {
  const signature = shape({ name: text() }).id('Signature');
  const commit = shape({ author: signature, committer: signature });
  t.equal(commit.validate({ author: { name: 'a' }, committer: { name: 'b' } }).error, undefined);
  t.equal(commit.validate({ author: { name: 'a' } }).error?.message, '"committer" is required');
});

void t.test('a page of a shape has that shape in its envelope', async (t) => {
  const page = pageOf(shape({ name: text() }));
  const body = presentPage({ items: ['a'], total: 7, page: 2, perPage: 1 }, (name) => ({ name }));
  t.strictSame(body, { items: [{ name: 'a' }], total: 7, page: 2, per_page: 1 });
  t.strictSame(page.validate(body), { value: body });
});

void t.test(
  'a count in a text is parsed in linear time, and a number that would lose digits is rejected',
  async (t) => {
    // With joi's own check this takes an hour.
    t.equal(count().validate(`1.${'0'.repeat(1_000_000)}10`).value, 1);
    t.match(count().validate('9007199254740993').error?.message, /less than or equal to 9007199254740991/);
    t.equal(count().validate('12').value, 12);
    t.match(count().validate('1.5').error?.message, /integer/);
  },
);
