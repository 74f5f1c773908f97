// Measures the cost of metering: one read on a server that meters against the same read on one that does not.
import { mkdir } from 'node:fs/promises';
import { compare, type Line } from './compare.ts';
import type { Setting } from './lines.ts';
import { load } from './load.ts';
import { Subject } from './subject.ts';

const admin = '00000000-0000-4000-9000-000000000003';

/** Raises the administrator's budget beyond any load. */
async function raise(subject: Subject): Promise<void> {
  const most = { requests_per_window: 1_000_000, window_seconds: 1 };
  await subject.json('PATCH', `/api/v1/admin/rate-limits/groups/${admin}/api.read`, most, await subject.session());
}

export async function meteringLines(setting: Setting): Promise<Line[]> {
  const { engine, rounds, databaseUrl } = setting;
  const subjects: Subject[] = [];
  const started = async (metering: 'on' | 'off'): Promise<Subject> => {
    // Only one process can open an embedded database.
    const dataDir = databaseUrl === undefined ? `${setting.dataDir}-metering-${metering}` : setting.dataDir;
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const subject = await Subject.start({ dataDir, databaseUrl, metering });
    subjects.push(subject);
    await subject.signIn();
    await subject.createRepository(`metering-${metering}`);
    return subject;
  };
  try {
    const [on, off] = [await started('on'), await started('off')];
    await raise(on);
    const rate = async ({ url, headers }: Subject, name: string): Promise<number> =>
      (await load({ url: `${url}/api/v1/repos/admin/${name}`, headers, connections: 16, seconds: 3 }))
        .requestsPerSecond;
    const [metered, free] = [() => rate(on, 'metering-on'), () => rate(off, 'metering-off')];
    await metered();
    await free();
    return [
      await compare({
        name: 'GET one repository, metered, to not metered',
        engine,
        unit: 'req/s',
        rounds,
        target: { least: 0.85 },
        ours: metered,
        limit: free,
      }),
    ];
  } finally {
    for (const subject of subjects) await subject.stop();
  }
}
