// Readiness probes: computes the answer of `/readyz`, and which plugins are degraded.
import type { Readiness } from '#adapters/http/routes/system-routes';
import { HexforgeError } from '#core/kernel/errors';
import { kindOf } from '../problems/values.ts';
import { TookTooLong, within } from '../problems/deadline.ts';
import type { Probe } from '../plugin/definition.ts';
import type { Life } from '../plugin/life.ts';
import { firstLine } from '../problems/thrown.ts';

/** The time limit of the database check in milliseconds. */
const databaseMs = 5_000;
/** `/readyz` is public, so its answer is cached for this many milliseconds. */
const freshMs = 1_000;

export function readiness({
  lives,
  phase,
  checkDatabase,
  probeMs,
  parked,
}: {
  readonly lives: readonly Life[];
  readonly phase: () => string;
  /** @returns the problem of a database that responds, or undefined. */
  readonly checkDatabase: () => Promise<string | undefined>;
  /** The time limit of one probe in milliseconds. */
  readonly probeMs: number;
  /** The plugins that have dead letters. */
  readonly parked: () => Promise<readonly string[]>;
}): () => Promise<Readiness> {
  /** Running checks. A check that hangs is not started again. */
  const checking = new Map<Probe, Promise<string | undefined>>();
  const check = (probe: Probe): Promise<string | undefined> => {
    const running = checking.get(probe) ?? (async () => probe.check())().finally(() => checking.delete(probe));
    checking.set(probe, running);
    return running;
  };
  const complaintOf = async ({ made, name }: Life): Promise<string | undefined> => {
    for (const probe of made?.probes ?? []) {
      const what = `The probe "${probe.name}" of "${name}"`;
      try {
        const complaint: unknown = await within(probeMs, what, () => check(probe));
        if (typeof complaint === 'string' && complaint !== '') return firstLine(complaint);
        if (complaint !== undefined) return `${what} answers ${kindOf(complaint)}, and should a sentence or undefined`;
      } catch (error) {
        // An error thrown by a probe may contain addresses and credentials, but `/readyz` is public.
        return error instanceof TookTooLong ? error.message : `${what} failed`;
      }
    }
    return undefined;
  };

  const detailsOf = async ({ made, name }: Life): Promise<readonly (readonly [string, object])[]> => {
    const found = (made?.probes ?? []).map(async (probe) => {
      const what = `The probe "${probe.name}" of "${name}"`;
      const details: unknown = await within(probeMs, what, async () => probe.details?.()).catch(() => undefined);
      return typeof details === 'object' && details !== null ? details : {};
    });
    const details = Object.assign({}, ...(await Promise.all(found))) as object;
    return Object.keys(details).length === 0 ? [] : [[name, details]];
  };

  const read = async (): Promise<Readiness> => {
    const lost = lives.filter((life) => life.lost).map(({ name }) => name);
    try {
      if ((await within(databaseMs, 'The database', checkDatabase)) !== undefined) lost.push('database');
    } catch (error) {
      // Only the message of our own errors is shown; others may contain addresses and credentials.
      const detail = error instanceof HexforgeError ? error.message : 'The database does not answer';
      return { ready: false, failing: 'database', detail, degraded: lost };
    }
    const unwell = await Promise.all(
      lives.filter(({ usable }) => usable).map(async (life) => ({ life, complaint: await complaintOf(life) })),
    );
    for (const { life, complaint } of unwell) life.complain('probe', complaint);
    const sick = unwell.flatMap(({ life, complaint }) => (complaint === undefined ? [] : [{ life, complaint }]));
    const vital = new Set(sick.filter(({ life }) => !life.isolated).map(({ life }) => life));
    const weak = lives.filter((life) => life.state === 'degraded' && !vital.has(life)).map(({ name }) => name);
    const degraded = [...new Set([...lost, ...weak, ...(await parked())])];
    const fatal = sick.find(({ life }) => !life.isolated);
    if (fatal !== undefined) return { ready: false, failing: fatal.life.name, detail: fatal.complaint, degraded };
    const details = await Promise.all(lives.filter(({ usable }) => usable).map(detailsOf));
    const known = Object.fromEntries(details.flat()) as NonNullable<Readiness['details']>;
    return { ready: true, degraded, ...(Object.keys(known).length > 0 && { details: known }) };
  };

  let last: { readonly at: number; readonly answer: Promise<Readiness> } | undefined;
  return async () => {
    if (phase() !== 'running')
      return { ready: false, failing: 'host', detail: `The server is ${phase()}`, degraded: [] };
    const now = performance.now();
    if (last === undefined || now - last.at > freshMs) last = { at: now, answer: read() };
    return last.answer;
  };
}
