// Tests of the health and metadata endpoints, with healthy and failing plugins.
import { definePlugin } from 'hexforge/plugin';
import t from 'tap';
import { startTestForge } from '#test/support/forge';
import type { Operation } from '#test/support/clients/openapi';
import { sharedForge } from '#test/support/shared-forge';

/** A test plugin with a probe that reports the complaint. */
const patient = (name: string, complaint: string, onFailure: 'fail' | 'isolate') =>
  definePlugin({
    name,
    version: '1.0.0',
    api: '*',
    onFailure,
    probes: () => [{ name: 'pulse', check: async () => complaint }],
  });

void t.test('GET / answers name, version and links', async (t) => {
  const forge = await sharedForge(t);
  const answer = await forge.anonymous.get('/');
  t.equal(answer.status, 200);
  t.match(answer.body, {
    name: 'hexforge',
    version: /^\d+\.\d+\.\d+/,
    links: { api: `${forge.url}/api/v1`, openapi: `${forge.url}/api/v1/openapi.json` },
  });
});

void t.test('GET /readyz answers 200 with an empty list if all plugins are healthy', async (t) => {
  const { anonymous } = await sharedForge(t);
  t.strictSame((await anonymous.get('/healthz')).body, { status: 'ok' });
  const answer = await anonymous.get('/readyz');
  t.equal(answer.status, 200);
  t.match(answer.body, {
    status: 'ready',
    degraded: [],
    details: { search: { waiting: Number, lag_seconds: Number, failing: 0, rebuilding: false } },
  });
});

void t.test(
  'GET /readyz lists an isolated plugin that fails its probe in `degraded`, and still answers 200',
  async (t) => {
    const { anonymous } = await startTestForge(t, { definitions: [patient('ailing', 'a little cold', 'isolate')] });
    const answer = await anonymous.get('/readyz');
    t.equal(answer.status, 200);
    t.match(answer.body, { status: 'ready', degraded: ['ailing'] });
  },
);

void t.test(
  'GET /readyz answers 503 naming the plugin that is not ready; GET /healthz still answers 200',
  async (t) => {
    const { anonymous } = await startTestForge(t, { definitions: [patient('gravely-ill', 'no pulse', 'fail')] });
    const answer = await anonymous.get('/readyz');
    t.equal(answer.status, 503);
    t.match(answer.body, { error: /gravely-ill/, detail: 'no pulse', error_code: 'unavailable' });
    t.equal((await anonymous.get('/healthz')).status, 200);
  },
);

void t.test(
  'the OpenAPI document describes every operation, with objects that refuse extra members and are never empty',
  async (t) => {
    const { anonymous, contract } = await sharedForge(t);
    const { body } = await anonymous.get('/api/v1/openapi.json');
    t.match(body, { openapi: '3.1.0' });
    t.equal(
      new Set(contract.operations.map(({ id }: Operation) => id)).size,
      contract.operations.length,
      'operation ids are unique',
    );
    const loose: string[] = [];
    const visit = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const schema = value as Readonly<Record<string, unknown>>;
      if (schema['type'] === 'object') {
        const { properties, additionalProperties } = schema;
        if (additionalProperties !== false && typeof additionalProperties !== 'object')
          loose.push(`${at} takes extra members`);
        if (typeof additionalProperties !== 'object' && Object.keys(properties ?? {}).length === 0)
          loose.push(`${at} is empty`);
      }
      for (const [name, inner] of Object.entries(schema)) visit(inner, `${at}/${name}`);
    };
    const { components, paths } = body as { components: { schemas: unknown }; paths: unknown };
    visit(components.schemas, 'components/schemas');
    visit(paths, 'paths');
    t.strictSame(loose, []);
  },
);
