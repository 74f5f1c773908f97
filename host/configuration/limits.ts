// Time limits of plugins in milliseconds. If one is exceeded, the plugin is named in the log and the others continue.

export interface Limits {
  /** The import of an external plugin. */
  readonly load: number;
  /** One build, and one start. */
  readonly start: number;
  readonly stop: number;
  /** One statement of a migration. */
  readonly migrate: number;
  /** One run of a job. After it, the signal is aborted. */
  readonly job: number;
  /** One attempt of an event handler. After it, the signal is aborted and the attempt counts as failed. */
  readonly handler: number;
  /** One request to an external plugin's route. After it, the call's signal is aborted and the client gets 503. */
  readonly answer: number;
  readonly probe: number;
  /** Synchronous code that blocks the event loop. After it, the process is ended. */
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
