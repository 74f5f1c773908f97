// What a scenario of the drill is: how the forge is started, and how it is disturbed while clients work on it.
import type { Cluster } from '../../../tools/postgres-cluster.ts';
import type { Figures } from './figures.ts';
import type { Engine, Forge, ForgeOptions } from './forge.ts';
import type { Estate, Random } from './workers.ts';

/** One round of a scenario, under way. */
export interface Round {
  readonly forge: Forge;
  readonly figures: Figures;
  readonly random: Random;
  /** Empty before the first start. */
  readonly estates: readonly Estate[];
  /** Absent where the database is embedded, or one that was given. */
  readonly cluster: Cluster | undefined;
  /** Counts what the disturbance hit. */
  note(what: string): void;
  /** What takes the server away on purpose, without counting as a time in which it did not answer. */
  aside(work: () => Promise<void>): Promise<void>;
  /** From now on clients of one server ask another. */
  redirect(from: number, to: number): void;
}

export interface Scenario {
  readonly name: string;
  readonly says: string;
  readonly engines: readonly Engine[];
  /** Where it is a part of every proof of a checkout. */
  readonly quick?: Engine;
  readonly forge?: Omit<ForgeOptions, 'engine'>;
  /** Each round begins with empty folders, and the disturbance comes before the clients. */
  readonly first?: boolean;
  /** Nothing is in the way, so nothing may be refused or left unanswered. */
  readonly calm?: boolean;
  /** Every client is to be refused in time; where none was, nothing was proved. */
  readonly refuses?: boolean;
  /** Stops and starts PostgreSQL. */
  readonly needsCluster?: boolean;
  /** While the clients work; what it took must be given back, or the servers started again, by `restore`. */
  disturb(round: Round): Promise<void>;
  /** The clients have stopped. */
  restore?(round: Round): Promise<void>;
  /** After the last round, whatever happened. */
  end?(forge: Forge): Promise<void>;
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Until clients have done so much, on a busy machine too. */
export async function worked({ figures }: Pick<Round, 'figures'>, much: number, longestMs = 15_000): Promise<void> {
  const enough = figures.done + much;
  for (const until = Date.now() + longestMs; figures.done < enough && Date.now() < until;) await pause(10);
  // Not at the very moment of an answer.
  await pause(much % 20);
}

/** Until clients felt it, as long as that takes on a busy machine. */
export async function felt({ figures }: Pick<Round, 'figures'>, least = 10, longestMs = 30_000): Promise<void> {
  const enough = figures.disturbed + least;
  for (const until = Date.now() + longestMs; figures.disturbed < enough && Date.now() < until;) await pause(50);
}

export const both: readonly Engine[] = ['embedded', 'postgresql'];
