// How long what belongs to a plugin may take, in milliseconds; past it the plugin is named, and the others go on.

export interface Limits {
  /** Importing one that is not standard. */
  readonly load: number;
  /** One build, and one start. */
  readonly start: number;
  readonly stop: number;
  /** One statement of a migration. */
  readonly migrate: number;
  /** One run of a job: then its signal is aborted. */
  readonly job: number;
  /** One attempt of an event handler: then its signal is aborted, and it counts as failed. */
  readonly handler: number;
  /** One answer of a plugin from outside: then the signal of its call is aborted, and the client is told 503. */
  readonly answer: number;
  readonly probe: number;
  /** Code that gives nobody else a turn: then the process ends. */
  readonly loop: number;
}

export const defaultLimits: Limits = {
  load: 30_000,
  start: 30_000,
  stop: 10_000,
  migrate: 3_600_000,
  job: 600_000,
  handler: 60_000,
  answer: 60_000,
  probe: 5_000,
  loop: 30_000,
};
