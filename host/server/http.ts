// Makes the HTTP server of a started machine.
import { createHttpServer, type HttpServer } from '#adapters/http/server';
import type { Log } from '#core/kernel/services/log';
import type { PortName } from '#core/kernel/ports';
import type { Machine } from '../boot/boot.ts';
import type { LogOptions } from './log.ts';
import { traitsOf } from '../plugin/plan.ts';

export interface Listening {
  readonly host: string;
  readonly port: number;
  readonly trustedProxies: readonly string[];
  readonly idleMs?: number;
  readonly validateResponses: boolean;
  readonly recheckMs?: number | undefined;
  readonly logOf: (plugin: string, options?: LogOptions) => Log;
}

export function httpServer(machine: Machine, { logOf, ...listening }: Listening): HttpServer {
  const {
    container,
    instance: { baseUrl, webUrl, version },
  } = machine;
  return createHttpServer({
    ...listening,
    answerMs: machine.limits.answer,
    baseUrl,
    webUrl,
    version,
    routes: machine.routes,
    channels: machine.channels,
    feed: machine.feed,
    authenticator: container.port('Authenticator'),
    access: container.port('AccessDecision'),
    scopes: container.port('ScopeCatalogue'),
    rateCounter: container.port('RateCounter'),
    budgets: container.port('RateBudgets'),
    absentPort: (name) => {
      const traits = traitsOf(name);
      return traits === undefined || container.port(name as PortName) !== undefined
        ? undefined
        : { component: traits.component, absent: traits.absent };
    },
    optionalPort: (name) => container.port(name),
    readiness: machine.readiness,
    clock: container.port('Clock'),
    ids: container.port('Ids'),
    currentCaller: container.port('CurrentCaller'),
    log: logOf('http'),
    accessLog: logOf('access', { gathered: true }),
  });
}
