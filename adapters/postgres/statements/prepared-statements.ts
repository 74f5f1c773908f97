// Prepares reads that recur on a connection: planning a read by key costs PostgreSQL more than running it.

/** The part of `pg`'s clients that is used here. */
export interface PreparingClient {
  query: (statement: unknown, ...rest: readonly unknown[]) => unknown;
}

/** Times a read is seen before it is prepared: most texts with a list in them never recur. */
const seenBefore = 5;
/** The most reads that are prepared: each takes some 70 kB of PostgreSQL's memory. */
const mostPrepared = 300;
/** The most other reads that are counted. Reads that occur once do not evict recurring ones. */
const mostCounted = 500;
/** Characters of the longest text that is prepared; a longer one contains a list. */
const longest = 16 * 1024;

/** Counts the texts passed to it. @returns the name of a recurring read, otherwise undefined. */
export function recurringReads(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  /** Text → times seen; the most recently seen is last. */
  const counted = new Map<string, number>();
  return (text) => {
    const name = names.get(text);
    if (name !== undefined || names.size === mostPrepared || text.length > longest || !isRead(text)) return name;
    const times = (counted.get(text) ?? 0) + 1;
    counted.delete(text);
    if (times > seenBefore) {
      names.set(text, `read_${names.size}`);
      return names.get(text);
    }
    counted.set(text, times);
    const [oldest] = counted.keys();
    if (counted.size > mostCounted && oldest !== undefined) counted.delete(oldest);
    return undefined;
  };
}

/** Applied to every client of one pool when it connects. */
export function preparedStatements(): (client: PreparingClient) => void {
  const nameOf = recurringReads();
  return (client) => {
    const query = client.query.bind(client);
    client.query = (statement, ...rest) => {
      const [values, ...more] = rest;
      const name = typeof statement === 'string' && Array.isArray(values) ? nameOf(statement) : undefined;
      return name === undefined ? query(statement, ...rest) : query({ name, text: statement, values }, ...more);
    };
  };
}

/**
 * Whether a statement is a read that names its columns. With `*` the cached plan would become invalid once a migration,
 * of this process or of a newer version, adds a column.
 */
function isRead(text: string): boolean {
  return text.startsWith('select ') && !text.replaceAll('count(*)', '').includes('*');
}
