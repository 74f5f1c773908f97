// Meters requests to unknown paths and switched-off operations, as if they were served: otherwise such requests would
// be unlimited, and their answers would show which operations exist.
import type { Request } from '@hapi/hapi';
import { Unauthorized } from '#core/kernel/errors';
import type { Meter } from '#core/kernel/rate';
import { identifier, presentedIn, readCookies, type Identifying } from './credentials.ts';

/**
 * Returns a function that charges a request to its caller, or to its address if its credential is not valid.
 * @throws {RateLimited} from that function.
 */
export function meterOf(meter: Meter, parts: Identifying): (request: Request) => Promise<void> {
  const identify = identifier({ meter, presented: ({ authorization }) => presentedIn(authorization) }, parts);
  return async (request) => {
    const { exchange } = request.app;
    await identify(request, exchange, readCookies(request.raw.req.headers.cookie)).catch((error: unknown) => {
      if (!(error instanceof Unauthorized)) throw error;
    });
  };
}
