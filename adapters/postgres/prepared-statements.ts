// Prepared statements for reads that recur on a connection: planning costs PostgreSQL more than running a read by key
// does.

/** What is used of `pg`'s clients here. */
export interface PreparingClient {
  query: (statement: unknown, ...rest: readonly unknown[]) => unknown;
}

/** Times a read is seen before it is prepared: most texts with a list in them never come again. */
const seenBefore = 5;
/** Reads that are prepared: each takes some 70 kB of PostgreSQL's memory. */
const mostPrepared = 300;
/** Reads that are counted beside them. Those that come once do not keep out those that recur. */
const mostCounted = 500;
/** Characters of a text; a longer one has a list in it. */
const longest = 16 * 1024;

/** Counts the texts it is asked about. @returns the name of a read that recurs. */
export function recurringReads(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  /** text → times seen; what was seen last stands last. */
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

/** For every client of one pool, as it connects. */
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
 * One that names its columns: the plan of another is refused once a migration, of this process or a newer one, has
 * added to them.
 */
function isRead(text: string): boolean {
  return text.startsWith('select ') && !text.replaceAll('count(*)', '').includes('*');
}
