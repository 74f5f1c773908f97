// Prepared statements for reads that recur on a connection: planning costs PostgreSQL more than running a read by key
// does.

/** What is used of `pg`'s clients here. */
export interface PreparingClient {
  query: (statement: unknown, ...rest: readonly unknown[]) => unknown;
}

/** Times a read is seen before it is prepared: most texts with a list in them never come again. */
const seenBefore = 5;
/** Texts of reads that are counted, and so at the most prepared. */
const most = 500;

/** For every client of one pool, as it connects. */
export function preparedStatements(): (client: PreparingClient) => void {
  const seen = new Map<string, { readonly name: string; times: number }>();
  const nameOf = (text: string): string | undefined => {
    const known = seen.get(text);
    if (known === undefined) {
      if (seen.size < most && isRead(text)) seen.set(text, { name: `read_${seen.size}`, times: 1 });
      return undefined;
    }
    known.times += 1;
    return known.times > seenBefore ? known.name : undefined;
  };
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
