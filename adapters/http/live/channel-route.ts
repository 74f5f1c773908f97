// Makes the handler of a channel: a request that passes the usual access decision and then becomes a live connection,
// by the opening handshake of a WebSocket (RFC 6455, section 4).
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Lifecycle, Request, ResponseToolkit } from '@hapi/hapi';
import type { Presented } from '#core/kernel/access/credentials';
import { callerKey } from '#core/kernel/access/current-caller';
import { Unauthorized, UpgradeRequired, ValidationFailed } from '#core/kernel/errors';
import { answeredWithin } from '../overload/answer-limit.ts';
import { identifier, presentedIn, readCookies } from '../request/credentials.ts';
import type { Exchange } from '../request/exchange.ts';
import { listed } from '../headers/lists.ts';
import { madeOnce } from '../reply/made-once.ts';
import { refuse, type Wiring } from '../routes/routes.ts';
import type { Entry } from '../routes/routing.ts';
import { compile } from '../descriptor/validation.ts';
import type { OwnedChannel } from './channel.ts';
import { Follower, type LiveLimits } from './follower.ts';
import type { Followers, Following } from './followers.ts';
import { asksToSwitch, takeOver } from '../overload/connections.ts';
import { takeOfRepository } from '../overload/rate-limiter.ts';

/** The subprotocol by which a browser, which cannot set other headers, sends a token. */
const bearer = 'bearer';
const key = /^[+/0-9A-Za-z]{22}==$/;
/** RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

export interface LiveWiring extends Wiring {
  readonly followers: Followers;
  readonly limits: LiveLimits;
}

export function channelEntry({ plugin, channel, outside = false }: OwnedChannel, wiring: LiveWiring): Entry {
  const { access, currentCaller, csrf, log } = wiring;
  const { pageSessions } = wiring;
  const identify = identifier(
    { meter: channel.meter, presented: shownIn, guardCookie: csrf.checkUpgrade, pageSessions },
    wiring,
  );
  const checkParams = channel.params === undefined ? undefined : compile(channel.params, 'params');
  const opening = madeOnce(() => opener(wiring));

  const serve = async (request: Request, h: ResponseToolkit, exchange: Exchange): Promise<symbol> => {
    const open = await opening();
    const { req } = request.raw;
    const cookies = readCookies(req.headers.cookie);
    const rate = await identify(request, exchange, cookies);
    const call = exchange.call();
    const whose = callerKey(exchange.caller, exchange.ip);
    const given = exchange.params;
    const granted = await currentCaller.run(whose, () =>
      access.decide(call, channel.access, channel.scope ?? undefined, given),
    );
    if (rate?.refusal !== undefined) throw rate.refusal;
    await takeOfRepository(channel, wiring.admission.limiter, request, granted);
    const params: unknown = checkParams === undefined ? given : checkParams(given);
    const followed = async (): Promise<string> =>
      String(await channel.follow(call as never, { params, granted } as never));
    const of = await currentCaller.run(whose, () =>
      outside
        ? answeredWithin(wiring.answerMs, `plugin "${plugin}", channel "${channel.id}"`, request, followed)
        : followed(),
    );
    checkHandshake(req);
    open(request.raw, exchange, {
      channel: channel.id,
      of,
      whose,
      audience: `${proofOf(req, exchange)}\n${JSON.stringify(given)}`,
      about: idsOf(exchange, granted?.resource),
      ask: () => currentCaller.run(whose, () => access.renew(call)),
    });
    return h.abandon;
  };

  const handler = async (request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValue> => {
    const { exchange } = request.app;
    exchange.route = channel.path;
    exchange.plugin = plugin;
    try {
      return await serve(request, h, exchange);
    } catch (error) {
      return await refuse(request, h, error, { log });
    }
  };

  return {
    method: 'GET',
    path: channel.path,
    visible: () => true,
    cors: false,
    handler: (request, h) => wiring.track(handler(request, h)),
  };
}

/** Completes the handshake with the library and ends the exchange. Does nothing if the connection has already ended. */
async function opener({ limits, followers }: LiveWiring) {
  // Imported at the first connection: it would take a fiftieth of the start time.
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.heardBytes,
    maxFragments: 16,
  });
  return ({ req, res }: Request['raw'], exchange: Exchange, following: Following): void => {
    const leave = followers.admit(following.whose);
    const connection = takeOver(req, res);
    if (connection === undefined) {
      leave();
      return;
    }
    const { socket, head } = connection;
    socket.once('close', leave);
    const headers = Object.entries(res.getHeaders()).map(([name, value]) => `${name}: ${String(value)}`);
    const tell = (lines: string[]): void => void lines.push(...headers);
    server.once('headers', tell);
    chooseProtocol(req);
    // The library takes a single protocol.
    req.headers.upgrade = 'websocket';
    server.handleUpgrade(req, socket, head, (opened) => followers.join(new Follower(opened, limits), following));
    server.off('headers', tell);
    exchange.switched(res);
  };
}

/**
 * Equal for connections that may share an access recheck. For a user it is a hash of the user id and the credential,
 * neither of which can be read from it.
 */
function proofOf({ headers }: IncomingMessage, { caller, cookieToken }: Exchange): string {
  if (caller.kind === 'anonymous') return caller.kind;
  const shown = shownIn(headers) ?? { via: 'cookie', token: cookieToken };
  return createHash('sha256')
    .update(JSON.stringify([caller.id, shown]))
    .digest('base64');
}

/** Ids by which a suspected loss of access is found. Resources without an id are rechecked only periodically. */
function idsOf({ caller }: Exchange, thing: unknown): ReadonlySet<string> {
  const ids = [caller, thing].map((one) =>
    typeof one === 'object' && one !== null && 'id' in one ? one.id : undefined,
  );
  return new Set(ids.filter((id) => typeof id === 'string'));
}

/** @throws {UpgradeRequired | ValidationFailed} */
function checkHandshake(request: IncomingMessage): void {
  const { headers } = request;
  if (!asksToSwitch(request))
    throw new UpgradeRequired('This path is that of a WebSocket', {
      detail: 'Send GET with "Connection: Upgrade" and "Upgrade: websocket"; a proxy between has to pass them on',
    });
  if (headers['sec-websocket-version'] !== '13')
    throw new UpgradeRequired('This version of the WebSocket protocol is not known', { detail: 'The version is 13' });
  if (!key.test(headers['sec-websocket-key'] ?? ''))
    throw new ValidationFailed('The handshake of the WebSocket is not valid', {
      detail: 'Sec-WebSocket-Key must be 16 bytes in base64',
    });
}

/**
 * The credential of a request, from its Authorization header or from `Sec-WebSocket-Protocol: bearer, TOKEN`, which may
 * list other protocols before and after the two.
 * @throws {Unauthorized} for a malformed credential: it never counts as anonymous.
 */
function shownIn(headers: IncomingHttpHeaders): Presented | undefined {
  const presented = presentedIn(headers.authorization);
  if (presented !== undefined) return presented;
  const offered = listed(headers['sec-websocket-protocol']);
  const at = offered.indexOf(bearer);
  if (at === -1) return undefined;
  const value = offered[at + 1] ?? '';
  if (!offered.includes(bearer, at + 1) && token.test(value)) return { via: 'bearer', token: value };
  throw new Unauthorized('The credential is not valid', {
    detail: 'Sec-WebSocket-Protocol must have "bearer, TOKEN" once',
  });
}

/**
 * Reduces the offered subprotocols to the one in the answer: `bearer` if a token was sent that way, otherwise no
 * subprotocol.
 */
function chooseProtocol({ headers }: IncomingMessage): void {
  if (listed(headers['sec-websocket-protocol']).includes(bearer)) headers['sec-websocket-protocol'] = bearer;
  else delete headers['sec-websocket-protocol'];
}
