// CORS headers for the few operations that pages of any origin may call (`cors: true`). The allowed origin is `*`, so
// browsers send no cookies (Fetch standard, "CORS protocol and credentials").
import type { IncomingMessage, ServerResponse } from 'node:http';

const requestHeaders = 'Authorization, Content-Type, Mcp-Protocol-Version, Mcp-Method, Mcp-Name';
const answerHeaders = 'WWW-Authenticate, Retry-After, X-Request-Id';
/** How long a browser caches the answer to a preflight request, in seconds. */
const maxAge = 600;

export function allowAnyOrigin(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', answerHeaders);
}

/** @param allow the methods of the path. */
export function answerPreflight(
  { req, res }: { readonly req: IncomingMessage; readonly res: ServerResponse },
  allow: readonly string[],
): void {
  allowAnyOrigin(res);
  if (req.headers['access-control-request-method'] === undefined) return;
  res.setHeader('access-control-allow-methods', allow.join(', '));
  res.setHeader('access-control-allow-headers', requestHeaders);
  res.setHeader('access-control-max-age', String(maxAge));
}
