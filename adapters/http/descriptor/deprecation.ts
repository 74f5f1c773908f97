// The headers of an answer from a deprecated operation.

/**
 * `Deprecation` (RFC 9745), and a `Link` to the replacement (RFC 5829, section 3.5).
 * @param since when the operation was deprecated.
 * @param successor the URL or path of the replacement, percent-encoded.
 *
 * @example
 *   const answer = reply(undefined, { headers: deprecation(new Date('2026-11-01T00:00:00Z'), '/api/v1/x/bell/1') });
 */
export const deprecation = (
  since: Date,
  successor: string,
): { readonly deprecation: string; readonly link: string } => ({
  deprecation: `@${Math.floor(since.getTime() / 1000)}`,
  link: `<${successor}>; rel="successor-version"`,
});
