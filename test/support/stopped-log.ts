// A plugin that stops the audit log from taking entries, and lets it go on.
import { definePlugin, rawSql, type SqlDatabase } from 'hexforge/plugin';

export function stoppedLog() {
  /** The tables of all plugins, which this one only looks at. */
  let door: SqlDatabase | undefined;
  const execute = async (statement: string): Promise<void> => {
    if (door === undefined) throw new Error('the plugin "breaker" has no store');
    await rawSql.raw(statement).execute(door.kysely<Record<never, never>>());
  };
  return {
    breaker: definePlugin({
      name: 'breaker',
      version: '1.0.0',
      api: '*',
      stores: { door: { sql: (database) => (door = database), memory: () => undefined } },
    }),
    stop: () => execute('alter table audit_entry add constraint broken check (false) not valid'),
    mend: () => execute('alter table audit_entry drop constraint broken'),
  };
}
