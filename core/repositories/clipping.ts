// Bounds on the texts git hands over (names, subjects, messages, paths), whose length whoever pushes chooses.

/** Characters of each; every provider of `GitBackend` keeps them. A longer path is left out, for it is an address. */
export const longest = {
  name: 256,
  email: 320,
  subject: 1024,
  message: 64 * 1024,
  path: 4096,
} as const;
