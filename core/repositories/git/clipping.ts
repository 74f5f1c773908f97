// Limits of the texts that git returns: names, subjects, messages and paths. Users who push choose their length, so
// every provider of `GitBackend` clips them.

/**
 * The most characters of each text. A longer path is left out instead of clipped, because a clipped path would refer to
 * another file.
 */
export const longest = {
  name: 256,
  email: 320,
  subject: 1024,
  message: 64 * 1024,
  path: 4096,
} as const;
