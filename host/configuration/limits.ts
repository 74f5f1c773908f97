// The time limits of plugins. If one is exceeded, the plugin is named in the log and the others continue.

export interface Limit {
  /** The default. */
  readonly seconds: number;
  /** The longest limit that can be configured, in seconds. Default: 3600. */
  readonly most?: number;
  /** The description of its configuration key. */
  readonly description: string;
}

export const limits = {
  load: {
    seconds: 30,
    description: 'Seconds that the modules of one plugin from outside may take to be loaded.',
  },
  start: {
    seconds: 30,
    description: 'Seconds that one plugin may take to be built, and again to start.',
  },
  stop: {
    seconds: 10,
    description:
      'Seconds that one plugin may take to stop, and at most half of what is left of the 10 that a stop has.',
  },
  migrate: {
    seconds: 3600,
    most: 86_400,
    description: 'Seconds that one statement of a migration may take on a PostgreSQL server; the embedded one has 60.',
  },
  job: {
    seconds: 600,
    most: 86_400,
    description: 'Seconds that one run of a job may take before it is told to end, and reported.',
  },
  handler: {
    seconds: 60,
    description:
      'Seconds that one attempt of an event handler may take before it is told to end, and counts as failed.',
  },
  answer: {
    seconds: 60,
    description:
      'Seconds that a plugin from outside may take to answer a request before it is told to end, and the client 503.',
  },
  probe: {
    seconds: 5,
    description: 'Seconds that one readiness probe of a plugin may take.',
  },
  loop: {
    seconds: 30,
    description:
      'Seconds that the server may stand still in one piece of code before it ends, where plugins beside the standard ones run; 3600 at most.',
  },
} as const satisfies Readonly<Record<string, Limit>>;

/** In milliseconds. */
export type Limits = Readonly<Record<keyof typeof limits, number>>;

/** @param secondsOf The seconds of a limit. */
export const limitsOf = (secondsOf: (name: keyof Limits) => number): Limits =>
  Object.fromEntries(
    (Object.keys(limits) as (keyof Limits)[]).map((name) => [name, secondsOf(name) * 1000]),
  ) as unknown as Limits;

export const defaultLimits = limitsOf((name) => limits[name].seconds);
