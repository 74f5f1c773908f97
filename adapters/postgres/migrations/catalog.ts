// Reads the catalog of a database as comparable rows: each object, the table it is part of, the table it points to.
import { CompiledQuery, type Kysely } from 'kysely';
import type { SystemTables } from '../statements/schema.ts';

export interface CatalogObject {
  /** As in a sentence: `table`, `view`, `index`, `foreign key`, … */
  readonly kind: string;
  /** With its schema as prefix if that is not the current one. A function's name includes its parameters. */
  readonly name: string;
  /** The table or view it is part of. */
  readonly part_of: string | null;
  /** The table or view that it points to: of a foreign key, of a view's query, of an inheriting table. */
  readonly target: string | null;
  /** All other properties: objects with an equal definition are equal. */
  readonly definition: string;
}

export type Catalog = ReadonlyMap<string, CatalogObject>;

export interface Change {
  readonly how: 'made' | 'changed' | 'dropped';
  readonly object: CatalogObject;
}

/**
 * Reads every object except members of extensions, temporary tables and objects that PostgreSQL creates itself (the
 * triggers of foreign keys, row types).
 *
 * Parsing and planning it takes as long as running it, so it is written in the form of a read that is prepared when it
 * recurs.
 */
const query = `select kind, name, part_of, target, definition from (
with space as (
  select oid, nspname, nspowner, nspacl, case when nspname = current_schema() then '' else nspname || '.' end as dot
  from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
), member as (
  select classid, objid from pg_depend where deptype = 'e'
), relation as (
  select c.oid, space.dot || c.relname as name, c.relkind, c.relpersistence, c.reloptions, c.relrowsecurity,
    c.relforcerowsecurity, c.relowner, c.relacl, c.relpartbound
  from pg_class c join space on space.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f')
    and not exists (select from member where classid = 'pg_class'::regclass and objid = c.oid)
)
select 'session setting' as kind, name, null as part_of, null as target, setting as definition
from pg_settings where source = 'session' and name not in ($settings)
union all select 'session setting', 'role', null, null, current_user || ' ' || session_user
union all select 'schema', nspname, null, null, concat_ws(' ', nspowner::text, nspacl::text) from space
union all select 'extension', extname, null, null, extversion from pg_extension
union all select 'event trigger', evtname, null, null, concat_ws(' ', evtevent, evtenabled, evtfoid::text, evttags::text)
from pg_event_trigger
union all select
  case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' else 'table' end,
  name, null, null,
  concat_ws(' ', relkind, relpersistence, reloptions::text, relrowsecurity, relforcerowsecurity, relowner::text,
    relacl::text, pg_get_expr(relpartbound, oid), case when relkind in ('v', 'm') then pg_get_viewdef(oid) end)
from relation
union all select 'sequence', space.dot || c.relname, r.name, null, to_jsonb(s)::text
from pg_class c join space on space.oid = c.relnamespace join pg_sequence s on s.seqrelid = c.oid
left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')
  and d.refclassid = 'pg_class'::regclass
left join relation r on r.oid = d.refobjid
where not exists (select from member where classid = 'pg_class'::regclass and objid = c.oid)
union all select 'function', space.dot || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', null, null,
  case when p.prokind = 'a' then p.proowner::text else pg_get_functiondef(p.oid) end
from pg_proc p join space on space.oid = p.pronamespace
where not exists (select from member where classid = 'pg_proc'::regclass and objid = p.oid)
union all select 'type', space.dot || t.typname, null, null,
  concat_ws(' ', t.typtype, t.typowner::text, t.typnotnull, t.typdefault, nullif(t.typbasetype, 0)::regtype::text,
    (select string_agg(e.enumlabel, ',' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid),
    (select string_agg(pg_get_constraintdef(k.oid), ',' order by k.conname) from pg_constraint k where k.contypid = t.oid),
    (select string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ',' order by a.attnum)
      from pg_attribute a where a.attrelid = t.typrelid and not a.attisdropped))
from pg_type t join space on space.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
where (t.typtype in ('e', 'd', 'r') or c.relkind = 'c')
  and not exists (select from member where classid = 'pg_type'::regclass and objid = t.oid)
union all select 'column', a.attname, r.name, null,
  concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, a.attcollation::text,
    a.attacl::text, pg_get_expr(d.adbin, d.adrelid))
from relation r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
where r.relkind in ('r', 'p', 'f')
union all select case k.contype when 'f' then 'foreign key' else 'constraint' end, k.conname, r.name, t.name,
  pg_get_constraintdef(k.oid)
from pg_constraint k join relation r on r.oid = k.conrelid left join relation t on t.oid = k.confrelid
where k.contype <> 't'
union all select 'index', c.relname, r.name, null, pg_get_indexdef(i.indexrelid)
from pg_index i join relation r on r.oid = i.indrelid join pg_class c on c.oid = i.indexrelid
union all select 'trigger', g.tgname, r.name, null, concat_ws(' ', g.tgenabled, pg_get_triggerdef(g.oid))
from pg_trigger g join relation r on r.oid = g.tgrelid where not g.tgisinternal
union all select 'rule', w.rulename, r.name, null, concat_ws(' ', w.ev_enabled, pg_get_ruledef(w.oid))
from pg_rewrite w join relation r on r.oid = w.ev_class where w.rulename <> '_RETURN'
union all select 'policy', l.polname, r.name, null,
  concat_ws(' ', l.polcmd, l.polpermissive, l.polroles::text, pg_get_expr(l.polqual, l.polrelid),
    pg_get_expr(l.polwithcheck, l.polrelid))
from pg_policy l join relation r on r.oid = l.polrelid
union all select 'statistics', x.stxname, r.name, null, pg_get_statisticsobjdef(x.oid)
from pg_statistic_ext x join relation r on r.oid = x.stxrelid
union all select distinct 'query', t.name, r.name, t.name, ''
from pg_depend d join pg_rewrite w on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
join relation r on r.oid = w.ev_class
join relation t on d.refclassid = 'pg_class'::regclass and t.oid = d.refobjid and t.oid <> r.oid
union all select 'parent table', t.name, r.name, t.name, ''
from pg_inherits h join relation r on r.oid = h.inhrelid join relation t on t.oid = h.inhparent
) as object`;

/** Settings that a migration may set with `set local`: they end with its transaction and do not change its meaning. */
export const localSettings = [
  'check_function_bodies',
  'lock_timeout',
  'maintenance_work_mem',
  'statement_timeout',
  'work_mem',
];

const statement = query.replace('$settings', localSettings.map((name) => `'${name}'`).join(', '));

/** Runs one query, on the given transaction. */
export async function readCatalog(database: Kysely<SystemTables>): Promise<Catalog> {
  const { rows } = await database.executeQuery<CatalogObject>(CompiledQuery.raw(statement));
  return new Map(rows.map((object) => [`${object.kind}\n${object.part_of ?? ''}\n${object.name}`, object]));
}

/** Whether the object is of a kind that `tables` of a plugin lists. */
export const isRelation = ({ kind }: CatalogObject): boolean =>
  kind === 'table' || kind === 'view' || kind === 'materialized view' || kind === 'foreign table';

/** The differences between two catalogs, with tables before their parts. */
export function changes(before: Catalog, after: Catalog): readonly Change[] {
  const dropped = [...before].flatMap(([key, object]): readonly Change[] =>
    after.has(key) ? [] : [{ how: 'dropped', object }],
  );
  const others = [...after].flatMap(([key, object]): readonly Change[] => {
    const known = before.get(key);
    if (known === undefined) return [{ how: 'made', object }];
    return known.definition === object.definition && known.part_of === object.part_of && known.target === object.target
      ? []
      : [{ how: 'changed', object }];
  });
  // A session setting that selects other schemas makes everything differ, so settings are reported first.
  const rank = ({ kind, part_of: whole }: CatalogObject): number =>
    kind === 'session setting' ? 0 : whole === null ? 1 : 2;
  return [...dropped, ...others].sort((a, b) => rank(a.object) - rank(b.object));
}
