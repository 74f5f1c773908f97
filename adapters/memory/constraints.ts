// The constraints of in-memory tables: unique, foreign key, cascade.
import { Conflict, Duplicate, StillReferenced } from '#core/kernel/errors';
import { keyOf, referredKey, store, type Memory, type Row, type Snapshot, type Table } from './state.ts';

/** The changes of a statement: by table and key the new row, or undefined for a deleted row. */
export type Changes = Map<Table, Map<string, Row | undefined>>;

export const writing = (table: Table, key: string, row: Row): Changes => new Map([[table, new Map([[key, row]])]]);

/** The changes that delete these rows, including the effects on rows that refer to them. @throws {StillReferenced} */
export function deleting(memory: Memory, snapshot: Snapshot, table: Table, keys: Iterable<string>): Changes {
  const named = new Set(keys);
  const changes: Changes = new Map([[table, new Map([...named].map((key) => [key, undefined]))]]);
  const gone: [Table, ReadonlySet<string>][] = [[table, named]];
  // The list grows while it is iterated: rows deleted by a cascade may have referring rows too.
  for (const [parent, deleted] of gone)
    for (const [child, member, { onDelete, unset }] of referring(memory, parent)) {
      const cascaded = new Set<string>();
      for (const [key, row] of snapshot.read(child).rows) {
        const parentKey = referredKey(row, member);
        if (parentKey === undefined || !deleted.has(parentKey) || (child === table && named.has(key))) continue;
        // Also if another foreign key would delete the row: there a database depends on the order of its triggers, and
        // a deletion that succeeds here must succeed there.
        if (onDelete === 'restrict') throw new StillReferenced(child.name);
        const planned = changes.get(child) ?? new Map<string, Row | undefined>();
        changes.set(child, planned);
        const current = planned.has(key) ? planned.get(key) : row;
        if (current === undefined) continue;
        if (onDelete === 'cascade') {
          planned.set(key, undefined);
          cascaded.add(key);
        } else {
          const { [member]: _unset, ...rest } = current;
          planned.set(key, unset === null ? { ...rest, [member]: null } : rest);
        }
      }
      if (cascaded.size > 0) gone.push([child, cascaded]);
    }
  return changes;
}

function* referring(memory: Memory, parent: Table) {
  for (const child of memory.tables.values())
    for (const [member, reference] of child.references)
      if (reference.table === parent.name) yield [child, member, reference] as const;
}

/** Checks the changes as a database would. @throws {Duplicate | Conflict} */
export function verify(memory: Memory, snapshot: Snapshot, changes: Changes): void {
  for (const [table, rows] of changes)
    for (const [key, row] of rows) {
      if (row === undefined) continue;
      if (keyOf(table, row) !== key) throw new Error(`the key of a row of "${table.name}" cannot change`);
      verifyUniques(snapshot, table, key, row);
      verifyReferences(memory, snapshot, changes, table, key, row);
    }
}

function verifyUniques(snapshot: Snapshot, table: Table, key: string, row: Row): void {
  const { uniques } = snapshot.read(table);
  for (const [constraint, valueOf] of table.uniques) {
    const value = valueOf(row);
    const holder = value === undefined ? undefined : uniques.get(constraint)?.get(value);
    if (holder !== undefined && holder !== key) throw new Duplicate(constraint);
  }
}

function verifyReferences(
  memory: Memory,
  snapshot: Snapshot,
  changes: Changes,
  table: Table,
  key: string,
  row: Row,
): void {
  const before = snapshot.read(table).rows.get(key);
  for (const [member, reference] of table.references) {
    const parent = memory.tables.get(reference.table);
    const parentKey = referredKey(row, member);
    if (parent === undefined || parentKey === undefined || parentKey === referredKey(before, member)) continue;
    if (snapshot.read(parent).rows.has(parentKey) || changes.get(parent)?.get(parentKey) !== undefined) continue;
    throw new Conflict('Something this refers to does not exist any more', {
      cause: new Error(`"${member}" of "${table.name}" refers to no row of "${parent.name}"`),
    });
  }
}

export function apply(snapshot: Snapshot, changes: Changes): void {
  for (const [table, rows] of changes) {
    // The first write to a table copies it into the write set.
    if (rows.size === 0) continue;
    const state = snapshot.write(table);
    for (const [key, row] of rows) store(table, state, key, row);
  }
}
