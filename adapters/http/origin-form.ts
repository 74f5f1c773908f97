// Requests in absolute form, `GET http://forge.example/path`, as the same in origin form (RFC 9112, section 3.2): hapi
// reads the query of the former in quadratic time, and of the latter no more than 1000 parameters.
import type { IncomingMessage, Server } from 'node:http';

/** A scheme and an authority. */
const origin = /^https?:\/\/[^/?#]+/i;

/** Goes before whatever else the listener tells of requests. */
export function takeOriginForm(listener: Server): void {
  for (const event of ['request', 'checkContinue']) listener.on(event, toOriginForm);
}

function toOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  const [start] = origin.exec(url) ?? [];
  // One that is no origin is left, and refused with the URL.
  if (start === undefined || !URL.canParse(start)) return;
  const rest = url.slice(start.length);
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}
