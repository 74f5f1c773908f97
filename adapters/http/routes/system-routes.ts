// The system operations: index, liveness, readiness, and the OpenAPI document.
import Joi from 'joi';
import { anyone } from '#core/kernel/access/access';
import { Unavailable } from '#core/kernel/errors';
import { jsonText, tagOfText } from '../reply/json-text.ts';
import { madeOnce } from '../reply/made-once.ts';
import { api, object, tagged, type Route } from '../descriptor/route.ts';

export interface Readiness {
  readonly ready: boolean;
  /** The plugin (or "database") that is not ready. */
  readonly failing?: string;
  readonly detail?: string;
  /** Plugins that failed, were skipped, report a problem or have dead letters, while the server is ready. */
  readonly degraded: readonly string[];
  /** Figures of plugins, by plugin. */
  readonly details?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface SystemParts {
  /** The public URL of this server, without a trailing slash. `webUrl`: of its pages. */
  readonly baseUrl: string;
  readonly webUrl: string;
  readonly version: string;
  readonly readiness: () => Promise<Readiness>;
  readonly document: () => Promise<object>;
}

const uri = Joi.string().uri().required();
const open = { method: 'GET', access: anyone, scope: null } as const;
/** Monitoring probes are never rate limited. */
const probe = { ...open, meter: 'none' } as const;

export function systemRoutes({ baseUrl, webUrl, version, readiness, document }: SystemParts): readonly Route[] {
  const index = {
    name: 'hexforge',
    version,
    links: {
      api: `${baseUrl}/api/v1`,
      openapi: `${baseUrl}/api/v1/openapi.json`,
      healthz: `${baseUrl}/healthz`,
      readyz: `${baseUrl}/readyz`,
      web: webUrl,
    },
  };
  const tag = madeOnce(async () => tagOfText(await jsonText(await document())));
  return [
    api({
      ...open,
      id: 'index',
      summary: 'Name, version and where to go on',
      mount: 'root',
      path: '/',
      result: object<typeof index>({
        name: Joi.string().valid('hexforge').required(),
        version: Joi.string().required(),
        links: object<typeof index.links>({ api: uri, openapi: uri, healthz: uri, readyz: uri, web: uri }).required(),
      }).id('Index'),
      run: () => index,
    }),
    api({
      ...probe,
      id: 'healthz',
      summary: 'Whether the process listens',
      mount: 'root',
      path: '/healthz',
      result: object<{ status: 'ok' }>({ status: Joi.string().valid('ok').required() }).id('Health'),
      run: () => ({ status: 'ok' as const }),
    }),
    api({
      ...probe,
      id: 'readyz',
      summary: 'Whether every plugin is ready',
      mount: 'root',
      path: '/readyz',
      statuses: [503],
      result: object<{ status: 'ready'; degraded: string[]; details?: object }>({
        status: Joi.string().valid('ready').required(),
        degraded: Joi.array().items(Joi.string()).required().description('Isolated or degraded plugins and components'),
        details: Joi.object<object>()
          .pattern(Joi.string(), Joi.object().pattern(Joi.string(), [Joi.number(), Joi.boolean(), Joi.string()]))
          .description('Figures of plugins, such as the lag of the search index'),
      }).id('Readiness'),
      run: async () => {
        const { ready, failing, detail, degraded, details } = await readiness();
        if (!ready)
          throw new Unavailable(
            failing === undefined ? 'The instance is not ready' : `The plugin "${failing}" is not ready`,
            detail === undefined ? {} : { detail },
          );
        return { status: 'ready' as const, degraded: [...degraded], ...(details && { details }) };
      },
    }),
    // Hidden: to list this operation, the document would need a schema of all schemas.
    api({
      ...open,
      id: 'openapi',
      summary: 'The OpenAPI document',
      path: '/openapi.json',
      hidden: true,
      result: Joi.object<object>().unknown(),
      sameForAll: true,
      run: async () => tagged(await tag(), document),
    }),
  ];
}
