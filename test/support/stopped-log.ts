// A plugin that makes the audit log reject entries, and makes it accept them again.
import { definePlugin, rawSql, type SqlDatabase } from 'hexforge/plugin';

export function stoppedLog() {
  /** The connection, through which this plugin reaches the tables of all plugins. */
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
