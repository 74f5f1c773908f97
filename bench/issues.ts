// Measures a list, a fetch and a search among 200,000 issues of 50 repositories, against the same store queries behind
// a bare route with the same credential check.
import { compare, type Line } from './compare.ts';
import type { Setting } from './lines.ts';
import { latency } from './load.ts';
import type { Subject } from './subject.ts';

/** Fewer issues on the embedded database, where filling would take longer than everything else. */
const counts = { embedded: 20_000, server: 200_000 } as const;

export async function issueLines(setting: Setting, subject: Subject): Promise<Line[]> {
  const { engine, rounds, databaseUrl } = setting;
  const { id } = await subject.createRepository('issues');
  const count = databaseUrl === undefined ? counts.embedded : counts.server;
  await latency(`${subject.bare}/issues/fill/${id}?count=${count}`, subject.headers, 1);
  const beside = async (what: string, path: string): Promise<Line> => {
    const ours = `${subject.url}/api/v1/repos/admin/issues${path}`;
    const limit = `${subject.bare}/issues/${what}/${id}`;
    const time = (url: string) => () => latency(url, subject.headers, 100);
    await time(ours)();
    await time(limit)();
    return compare({
      name: `${what} issues, to the same reads`,
      engine,
      unit: 'ms',
      rounds,
      target: { most: 2 },
      ours: time(ours),
      limit: time(limit),
    });
  };
  return [
    await beside('list', '/issues?state=open'),
    await beside('fetch', '/issues/7'),
    await beside('search', '/issues/search?q=common'),
  ];
}
