// A plugin that serves the baseline routes: plain hapi, the same credential check and one read by primary key. It also
// provides rate budgets that no measurement reaches.
import Hapi from '@hapi/hapi';
import { definePlugin, Joi, shape } from 'hexforge/plugin';
import { bareIssues, type BareIssues } from './bare-issues.ts';
import { bareMerges, type BareMerges } from './bare-merges.ts';
import { bareOAuth, type BareOAuth, type Copies } from './bare-oauth.ts';

interface RepositoryRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

interface Rows {
  read(id: string): Promise<RepositoryRow | undefined>;
}

/** The smallest page of which a browser paints something. */
const page = '<!doctype html><html lang="en"><head><title>Bare</title></head><body><p>A line</p></body></html>';

/** Listens on `port` beside the forge, in the same process and on the same database. */
export default definePlugin({
  name: 'bench-bare',
  version: '0.0.0',
  api: '*',
  config: shape({ port: Joi.number() }),
  needs: ['Authenticator', 'Clock', 'UnitOfWork'],
  stores: {
    Rows: {
      sql: (db): Rows => ({
        read: (id) =>
          db
            .kysely<{ repositories_repository: RepositoryRow }>()
            .selectFrom('repositories_repository')
            .select(['id', 'name', 'description'])
            .where('id', '=', id)
            .executeTakeFirst(),
      }),
      memory: (): Rows => ({ read: async () => undefined }),
    },
    Issues: {
      sql: bareIssues,
      memory: (): BareIssues => ({ read: async () => undefined, fill: async () => undefined }),
    },
    Merges: {
      sql: bareMerges,
      memory: (): BareMerges => ({
        read: async () => undefined,
        fill: async () => undefined,
        open: async () => undefined,
      }),
    },
    OAuth: {
      sql: bareOAuth,
      memory: (): BareOAuth => ({
        answer: async () => undefined,
        people: async () => undefined,
        fill: async () => undefined,
      }),
    },
  },
  build: ({ Authenticator, Clock, UnitOfWork, config, stores }) => {
    const server = new Hapi.Server({ port: config.port, host: '127.0.0.1' });
    const authenticate = async (request: Hapi.Request): Promise<void> => {
      const header = request.raw.req.headers.authorization ?? '';
      await Authenticator.authenticate(
        { via: 'bearer', token: header.slice('Bearer '.length) },
        { ip: request.info.remoteAddress, now: Clock.now() },
      );
    };
    server.route({
      method: 'GET',
      path: '/repository/{id}',
      handler: async (request, h) => {
        await authenticate(request);
        return (await stores.Rows.read(String(request.params.id))) ?? h.response().code(404);
      },
    });
    server.route({ method: 'GET', path: '/page', handler: (_request, h) => h.response(page).type('text/html') });
    const { Issues, Merges } = stores;
    for (const [name, store] of Object.entries({ issues: Issues, merges: Merges })) {
      server.route({
        method: 'GET',
        path: `/${name}/fill/{id}`,
        handler: async (request, h) => {
          await store.fill(String(request.params.id), Number(request.query.count));
          return h.response('filled');
        },
      });
      server.route({
        method: 'GET',
        path: `/${name}/{what}/{id}`,
        handler: async (request, h) => {
          await authenticate(request);
          const found = await store.read(String(request.params.what), String(request.params.id));
          return h.response(found as object | undefined).code(found === undefined ? 404 : 200);
        },
      });
    }
    server.route({
      method: 'GET',
      path: '/merges/open/{id}',
      handler: async (request, h) => {
        const { number, branch, head } = request.query;
        const asked = { number: Number(number), branch: String(branch), head: String(head) };
        await Merges.open(String(request.params.id), asked);
        return h.response('opened');
      },
    });
    const { OAuth } = stores;
    server.route({
      method: 'POST',
      path: '/oauth/{endpoint}',
      handler: async ({ params, payload }, h) =>
        (await OAuth.answer(String(params.endpoint), payload as Record<string, string>, UnitOfWork)) ??
        h.response().code(400),
    });
    server.route({
      method: 'POST',
      path: '/oauth/people',
      handler: async ({ payload }, h) => {
        await OAuth.people(String((payload as { readonly client_id: string }).client_id));
        return h.response('filled');
      },
    });
    server.route({
      method: 'POST',
      path: '/oauth/fill',
      handler: async ({ payload }, h) => {
        await OAuth.fill(payload as Copies);
        return h.response('filled');
      },
    });
    return server;
  },
  // Requests are still metered, as in an installation; only the limit is out of reach.
  provides: {
    RateBudgets: () => ({
      budget: async () => ({ limit: 1_000_000_000, windowSeconds: 60, window: 'fixed' as const }),
    }),
  },
  start: (server) => server.start(),
  stop: (server) => server.stop({ timeout: 100 }),
});
