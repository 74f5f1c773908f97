// The official conformance suite of MCP, unmodified, against the endpoint of a repository. It cannot send a token, so a
// proxy adds one.
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { startTestForge, type Teardown, type TestForge } from '#test/support/forge';
import { run } from '#test/support/servers/program';

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

/** Scenarios of the features of this server. */
const passes: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
  '2026-07-28': [
    'tools-list',
    'dns-rebinding-protection',
    'http-header-validation',
    'sep-2164-resource-not-found',
    'server-sse-multiple-streams',
    'input-required-result-unsupported-methods',
  ],
};

const fixture = 'needs the tools of a demonstration server (test_…), and this server has none that does nothing else';
const resources = 'there are no resources: files are read by tools';
const prompts = 'there are no prompts';
const input = 'no tool asks the user for anything';

/** Why the other scenarios cannot pass, by the beginning of their name. */
const notApplicable: Readonly<Record<string, string>> = {
  'server-session-lifecycle': 'there are no sessions, so the scenario checks nothing',
  'server-sse-polling': 'there are no event streams, so the scenario checks nothing',
  'server-sse-multiple-streams': 'there are no event streams, so the scenario checks nothing',
  'server-stateless': `its checks of the protocol pass; four of them ${fixture}`,
  'logging-set-level': 'no log messages are sent to clients',
  'completion-complete': 'arguments are not completed',
  'tools-call-': fixture,
  'json-schema-2020-12': fixture,
  'http-custom-header-server-validation': fixture,
  'elicitation-': input,
  'input-required-result-': input,
  'resources-': resources,
  'prompts-': prompts,
  caching: `tools/list passes; the other lists are not there: ${resources}, ${prompts}`,
};

interface Outcome {
  readonly scenario: string;
  readonly ok: boolean;
  readonly passed: number;
}

/** The lines of its summary. */
const outcomes = (report: string): readonly Outcome[] =>
  [...report.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed/gm)].map(([, mark, scenario = '', passed]) => ({
    scenario,
    ok: mark === '✓',
    passed: Number(passed),
  }));

/** A proxy in front of the forge that adds the token. @returns its URL. */
async function withToken(t: Teardown, forge: TestForge, token: string): Promise<string> {
  const { hostname: host, port } = new URL(forge.url);
  const server = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const onward = send({ host, port, method: request.method, path: request.url, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, response).catch(() => response.destroy());
    });
    // Clients of the suite leave without reading their answers.
    pipeline(request, onward).catch(() => onward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

for (const [revision, required] of Object.entries(passes))
  void t.test(`the official suite, revision ${revision}`, async (t) => {
    const forge = await startTestForge(t);
    const { client } = await forge.createUser('owner');
    await client.post('/api/v1/repos', { body: { name: 'code' } });
    const { token } = await forge.pat(client, ['mcp:read']);
    const url = `${await withToken(t, forge, token)}/api/v1/mcp/owner/code`;
    const args = [program, 'server', '--url', url, '--suite', 'all', '--spec-version', revision];
    const { stdout, stderr } = await run(process.execPath, args, {
      environment: { PATH: process.env['PATH'] ?? '', HOME: t.testdir(), NO_COLOR: '1' },
    });
    const all = outcomes(stdout);
    t.ok(all.length > 20, stderr);
    for (const name of required) {
      const found = all.find(({ scenario }) => scenario === name);
      t.ok(found?.ok === true && found.passed > 0, name);
    }
    const reasonOf = (name: string): string | undefined =>
      Object.entries(notApplicable).find(([beginning]) => name.startsWith(beginning))?.[1];
    for (const { scenario, ok } of all.filter(({ scenario }) => !required.includes(scenario))) {
      t.ok(reasonOf(scenario) !== undefined, `${scenario} ${ok ? 'passes' : 'fails'}, and this spec says why`);
      t.comment(`${scenario}: not applicable: ${reasonOf(scenario)}`);
    }
    t.notMatch(stdout, /wire-schema-valid\s*\] FAILURE/, 'every message is valid for the schema of the revision');
  });
