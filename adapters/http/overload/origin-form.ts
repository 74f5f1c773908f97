// Rewrites requests in absolute form, `GET http://forge.example/path`, to origin form (RFC 9112, section 3.2): hapi
// parses the query of an absolute URL in quadratic time; in origin form it reads at most 1000 parameters.
import type { IncomingMessage, Server } from 'node:http';

/** A scheme and an authority. */
const origin = /^https?:\/\/[^/?#]+/i;

/** Must be called before other request listeners are added. */
export function takeOriginForm(listener: Server): void {
  for (const event of ['request', 'checkContinue']) listener.on(event, toOriginForm);
}

function toOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  const [start] = origin.exec(url) ?? [];
  // An invalid origin is left unchanged; the request is rejected later because of its URL.
  if (start === undefined || !URL.canParse(start)) return;
  const rest = url.slice(start.length);
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}
