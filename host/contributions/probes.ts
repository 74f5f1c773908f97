// Readiness probes: what `/readyz` answers, and which plugins are degraded.
import { HexforgeError } from '#core/kernel/errors';
import { within } from '../deadline.ts';
import type { Life } from '../life.ts';

export interface Readiness {
  readonly ready: boolean;
  /** The plugin (or "database") that is not ready. */
  readonly failing?: string;
  readonly detail?: string;
  /** Isolated plugins that failed, were skipped or are unwell. */
  readonly degraded: readonly string[];
}

const probeMs = 5_000;
/** `/readyz` is public: within this time it repeats its last answer. */
const freshMs = 1_000;

export function readiness({
  lives,
  phase,
  checkDatabase,
}: {
  readonly lives: readonly Life[];
  readonly phase: () => string;
  /** @returns what is wrong with a database that answers. */
  readonly checkDatabase: () => Promise<string | undefined>;
}): () => Promise<Readiness> {
  const read = async (): Promise<Readiness> => {
    const lost = lives.filter((life) => life.lost).map(({ name }) => name);
    try {
      if ((await within(probeMs, 'The database', checkDatabase)) !== undefined) lost.push('database');
    } catch (error) {
      // Of what is typed the sentence alone: the rest may hold addresses and credentials.
      const detail = error instanceof HexforgeError ? error.message : 'The database does not answer';
      return { ready: false, failing: 'database', detail, degraded: lost };
    }
    const unwell = await Promise.all(
      lives.filter(({ usable }) => usable).map(async (life) => ({ life, complaint: await complaintOf(life) })),
    );
    for (const { life, complaint } of unwell) note(life, complaint);
    const sick = unwell.flatMap(({ life, complaint }) => (complaint === undefined ? [] : [{ life, complaint }]));
    const degraded = [...lost, ...sick.filter(({ life }) => life.isolated).map(({ life }) => life.name)];
    const fatal = sick.find(({ life }) => !life.isolated);
    return fatal === undefined
      ? { ready: true, degraded }
      : { ready: false, failing: fatal.life.name, detail: fatal.complaint, degraded };
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

async function complaintOf({ made, name }: Life): Promise<string | undefined> {
  for (const probe of made?.probes ?? []) {
    try {
      const complaint = await within(probeMs, `The probe "${probe.name}"`, () => probe.check());
      if (complaint !== undefined) return complaint;
    } catch {
      // What a probe throws may hold addresses and credentials; `/readyz` is public.
      return `The probe "${probe.name}" of "${name}" failed`;
    }
  }
  return undefined;
}

function note(life: Life, complaint: string | undefined): void {
  if (complaint !== undefined && life.state === 'started') life.to('degraded', complaint);
  if (complaint === undefined && life.state === 'degraded') life.to('started');
}
