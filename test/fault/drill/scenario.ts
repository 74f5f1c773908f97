// The interface of a scenario: how the forge is started, and how it is disturbed while clients work on it.
import type { Cluster } from '../../../tools/peers/postgres-cluster.ts';
import type { Figures } from './load/figures.ts';
import type { Engine, Forge, ForgeOptions } from './forge.ts';
import type { Estate, Random } from './load/workers.ts';

/** One running round of a scenario. */
export interface Round {
  readonly forge: Forge;
  readonly figures: Figures;
  readonly random: Random;
  /** Empty before the first start. */
  readonly estates: readonly Estate[];
  /** Undefined if the database is embedded or was given. */
  readonly cluster: Cluster | undefined;
  /** Counts an effect of the disturbance. */
  note(what: string): void;
  /** Runs work during which the server is stopped on purpose; this time does not count as unavailable. */
  aside(work: () => Promise<void>): Promise<void>;
  /** After this call the clients of the server `from` use the server `to`. */
  redirect(from: number, to: number): void;
}

export interface Scenario {
  readonly name: string;
  readonly says: string;
  readonly engines: readonly Engine[];
  /** The engine on which the scenario is among the quick ones. */
  readonly quick?: Engine;
  readonly forge?: Omit<ForgeOptions, 'engine'>;
  /** Each round starts with empty folders, and the disturbance is before the clients. */
  readonly first?: boolean;
  /** There is no obstacle, so no request may be refused or unanswered. */
  readonly calm?: boolean;
  /** Some client requests must be refused eventually; otherwise nothing was tested. */
  readonly refuses?: boolean;
  /** Stops and starts PostgreSQL. */
  readonly needsCluster?: boolean;
  /** Runs while the clients work; `restore` must undo it or start the servers again. */
  disturb(round: Round): Promise<void>;
  /** Runs when the clients have stopped. */
  restore?(round: Round): Promise<void>;
  /** Runs after the last round, also after an error. */
  end?(forge: Forge): Promise<void>;
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until clients have completed `much` operations, at most `longestMs`. */
export async function worked({ figures }: Pick<Round, 'figures'>, much: number, longestMs = 15_000): Promise<void> {
  const enough = figures.done + much;
  for (const until = Date.now() + longestMs; figures.done < enough && Date.now() < until;) await pause(10);
  // So that a disturbance does not always begin immediately after an answer.
  await pause(much % 20);
}

/** Waits until clients had `least` failed requests, at most `longestMs`. */
export async function felt({ figures }: Pick<Round, 'figures'>, least = 10, longestMs = 30_000): Promise<void> {
  const enough = figures.disturbed + least;
  for (const until = Date.now() + longestMs; figures.disturbed < enough && Date.now() < until;) await pause(50);
}

export const both: readonly Engine[] = ['embedded', 'postgresql'];
