// Counts the answers to the clients of a drill by kind, and how many database records these answers imply.
import { findingKinds, type Finding } from '../register.ts';

/** The kind of a push that a rule always rejects. */
export const alwaysRefused = 'pushed where it is protected';

/** The answers to the changes with one trace, which is the key of the events or audit entries that record a change. */
interface Told {
  acknowledged: number;
  unanswered: number;
  refused: number;
}

/** How many database records with one key must exist: at least the acknowledged changes, at most the possible ones. */
export interface Promised {
  readonly key: string;
  readonly least: number;
  readonly most: number;
}

export class Figures {
  readonly acknowledged: Record<string, number> = {};
  readonly refused: Record<string, number> = {};
  readonly unanswered: Record<string, number> = {};
  readonly findings: Finding[] = [];
  readonly #known = new Set<string>();
  /** Requests that were received but not answered within the client's time limit. */
  late = 0;
  unansweredSince: { readonly kind: string; readonly from: number }[] = [];
  /** The last rejection. */
  latest = 'nothing was asked';
  readonly #traces = new Map<string, Told>();

  acknowledge(kind: string, traces: readonly string[] = []): void {
    count(this.acknowledged, kind);
    for (const key of traces) this.#told(key).acknowledged += 1;
  }

  /** @param from when the request was sent, in milliseconds since 1970. */
  leaveOpen(kind: string, traces: readonly string[] = [], from?: number): void {
    count(this.unanswered, kind);
    if (from !== undefined) this.unansweredSince.push({ kind, from });
    this.latest = `${kind}: no answer`;
    for (const key of traces) this.#told(key).unanswered += 1;
  }

  refuse(kind: string, words: string, traces: readonly string[] = []): void {
    this.latest = `${kind}: ${words}`;
    count(this.refused, this.latest);
    for (const key of traces) this.#told(key).refused += 1;
  }

  /** Clears the expected records, for a new forge. */
  forget(): void {
    this.#traces.clear();
  }

  find(...findings: readonly (Finding | undefined)[]): void {
    for (const finding of findings) {
      if (finding === undefined) continue;
      // A permanent fault is found in every round, and a vague message for every changed thing: each is reported once.
      const text =
        finding.kind === 'unclear'
          ? finding.text.replace(/ of \S.* was refused/, ' was refused')
          : finding.text.replaceAll(/\d+ times\b/g, '');
      if (this.#known.has(text)) continue;
      this.#known.add(text);
      this.findings.push(finding);
    }
  }

  get promised(): readonly Promised[] {
    return [...this.#traces].map(([key, { acknowledged, unanswered, refused }]) => ({
      key,
      least: acknowledged,
      // The audit entry of a deleted ref is committed before the deletion.
      most: acknowledged + unanswered + (/^audit (branch|tag)\.deleted /.test(key) ? refused : 0),
    }));
  }

  get done(): number {
    return sum(this.acknowledged);
  }

  /** Rejections and unanswered requests, without those that are always rejected. */
  get disturbed(): number {
    const always = Object.entries(this.refused).filter(([what]) => what.startsWith(alwaysRefused));
    return sum(this.refused) + sum(this.unanswered) - sum(Object.fromEntries(always));
  }

  get line(): string {
    const parts = (counts: Readonly<Record<string, number>>): string =>
      Object.entries(counts)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([kind, number]) => `${kind} ${number}`)
        .join(', ');
    return [
      `acknowledged ${sum(this.acknowledged)} (${parts(this.acknowledged)})`,
      `refused ${sum(this.refused)} (${parts(this.refused)})`,
      `unknown ${sum(this.unanswered)}`,
      ...findingKinds.map((kind) => `${kind}=${this.findings.filter((finding) => finding.kind === kind).length}`),
    ].join('; ');
  }

  #told(key: string): Told {
    let told = this.#traces.get(key);
    if (told === undefined) this.#traces.set(key, (told = { acknowledged: 0, unanswered: 0, refused: 0 }));
    return told;
  }
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, one) => total + one, 0);

function count(counts: Record<string, number>, kind: string): void {
  counts[kind] = (counts[kind] ?? 0) + 1;
}
