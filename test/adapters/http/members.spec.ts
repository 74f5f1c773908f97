// Tests of the conversion between the members of things and those of JSON.
import t from 'tap';
import { camelCased, presenter } from '#adapters/http/descriptor/members';
import { count, flag, list, maybe, orNull, shape, text, time, uuid } from '#adapters/http/descriptor/shape';

const userJson = shape({ id: uuid(), display_name: text() });
const present = presenter(
  shape({
    id: uuid(),
    bell_name: text(),
    rung_at: orNull(time()),
    cast_at: time(),
    loud: maybe(flag()),
    owner: orNull(userJson),
    ringers: list(userJson),
    sizes: list(shape({ line_2: count() })),
    tags: list(text()),
  }),
  { bell_name: 'name' },
);
const now = new Date('2026-01-31T12:00:00Z');
const user = { id: '2', displayName: 'Ann', email: 'ann@example.org' };
const bell = { id: '1', name: 'Big', rungAt: null, castAt: now, owner: user, ringers: [user], sizes: [], tags: ['a'] };
const json = {
  id: '1',
  bell_name: 'Big',
  rung_at: null,
  cast_at: '2026-01-31T12:00:00.000Z',
  owner: { id: '2', display_name: 'Ann' },
  ringers: [{ id: '2', display_name: 'Ann' }],
  sizes: [],
  tags: ['a'],
};

void t.test('JSON has exactly the members of the shape, in their order, also in nested things', (t) => {
  t.equal(JSON.stringify(present({ ...bell, secret: 'no' } as typeof bell)), JSON.stringify(json));
  t.strictSame(present({ ...bell, sizes: [{ line2: 3 }] }), { ...json, sizes: [{ line_2: 3 }] });
  t.end();
});

void t.test('null stays null where the shape allows it, and an optional member without a value is absent', (t) => {
  t.strictSame(present({ ...bell, rungAt: now, owner: null, loud: null }), {
    ...json,
    rung_at: '2026-01-31T12:00:00.000Z',
    owner: null,
  });
  t.strictSame(present({ ...bell, loud: undefined }), json);
  t.strictSame(present({ ...bell, loud: false }), { ...json, loud: false });
  t.strictSame(present({ ...bell, castAt: 'as text' }), { ...json, cast_at: 'as text' });
  t.end();
});

void t.test('a thing that lacks a member, or has one of another type, does not compile', (t) => {
  const { castAt: _castAt, ...rest } = bell;
  t.type(present, 'function');
  void (() => {
    // @ts-expect-error castAt is missing
    present(rest);
    // @ts-expect-error a name is no number
    present({ ...bell, name: 1 });
    // @ts-expect-error castAt cannot be null
    present({ ...bell, castAt: null });
  });
  t.end();
});

void t.test('camelCased renames the present members of a body and changes no value', (t) => {
  const body: { readonly due_date?: string | null; readonly type_id: string; readonly items: readonly object[] } = {
    type_id: '1',
    items: [{ display_name: 'a' }],
  };
  t.strictSame(camelCased(body), { typeId: '1', items: [{ display_name: 'a' }] });
  const command: { readonly dueDate?: string | null; readonly kind: string } = camelCased(
    { ...body, due_date: null },
    { type_id: 'kind' },
  );
  t.strictSame(command, { dueDate: null, kind: '1', items: [{ display_name: 'a' }] });
  t.end();
});
