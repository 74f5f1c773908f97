// Tests of calls of tools without a server: time limits, disconnected clients, bounds of results.
import t from 'tap';
import { anyone, type AccessDecision, type Granted } from '#core/kernel/access/access';
import type { Call, User } from '#core/kernel/caller';
import { NotFound } from '#core/kernel/errors';
import { toolset, type OfferedTool } from '#core/mcp/toolset';
import { awake } from '#test/support/awake';
import { quietLog } from '#test/contracts/storage/storage-engines';

type Run = (call: Call, input: { readonly input: unknown }) => unknown;

const offered = (run: Run, name = 'sample'): OfferedTool => ({
  plugin: 'sample',
  name,
  family: 'sample',
  description: 'A sample',
  access: anyone,
  scope: null,
  schemas: () => ({ input: { type: 'object' }, output: { type: 'object', properties: { own: { type: 'string' } } } }),
  check: (args) => args,
  run: run as OfferedTool['run'],
});

const access = { decide: async () => undefined } as unknown as AccessDecision;

function serving(run: Run, { callMs = 5000, signal = new AbortController().signal } = {}) {
  const call = { signal, requestId: 'r-1' } as unknown as Call<User>;
  const granted = { call, may: () => true } as unknown as Granted<object, 'repo.read', User>;
  return toolset({ access, tools: () => [offered(run)], log: quietLog, callMs })(granted, { owner: 'a', repo: 'b' });
}

void t.test('a call that takes too long is aborted, and its result names the remedy', async (t) => {
  let aborted = false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const result = await awake(
    serving(
      async ({ signal }) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          resolve();
        });
        await new Promise(() => undefined);
      },
      { callMs: 20 },
    ).call('sample', {}),
  );
  t.match(result, { failed: /took too long.*"limit"/ });
  await promise;
  t.ok(aborted);
});

void t.test('a call ends when its client disconnects', async (t) => {
  const client = new AbortController();
  const called = serving(() => new Promise(() => undefined), { signal: client.signal }).call('sample', {});
  client.abort(new Error('gone'));
  t.match(await called, { failed: /request id r-1/ });
});

void t.test('errors of the forge are returned, the others only logged', async (t) => {
  const failing = (error: unknown) =>
    serving(() => {
      throw error;
    }).call('sample', {});
  t.strictSame(await failing(new NotFound('There is no "a\u001b[1m"', { detail: 'Look elsewhere' })), {
    failed: 'There is no "a[1m". Look elsewhere',
  });
  t.match(await failing(new NotFound('Not found')), {
    failed: /^Not found\. The tools whose names begin with "list_"/,
  });
  const long = (await failing(new NotFound('x'.repeat(5000)))) as { readonly failed: string };
  t.equal(long.failed.length, 2000);
  for (const thrown of [new Error('secret'), 'secret', undefined]) {
    const { failed } = (await failing(thrown)) as { readonly failed: string };
    t.match(failed, /request id r-1/);
    t.notMatch(failed, /secret/);
  }
});

void t.test('long texts are shortened together, short ones stay whole', async (t) => {
  const own = { long: 'é'.repeat(300_000), other: 'x'.repeat(1024), short: 'a name' };
  const result = (await serving(() => own).call('sample', {})) as { readonly data: typeof own & { note: string } };
  t.match(result.data, { truncated: true, note: /shortened/, short: 'a name', other: own.other });
  t.ok(result.data.long.endsWith('…') && Buffer.byteLength(result.data.long) <= 272 * 1024);
  const whole = (await serving(() => ({ text: '\n'.repeat(256 * 1024) })).call('sample', {})) as {
    readonly data: object;
  };
  t.notOk('truncated' in whole.data, 'escapes of JSON do not count');
  const noted = await serving(() => ({ text: 'x'.repeat(400_000), note: 'own words' })).call('sample', {});
  t.match(noted, { data: { note: 'own words', truncated: true } });
});

void t.test('a result that is still too large is refused', async (t) => {
  const result = await serving(() => ({ names: Array.from({ length: 200_000 }, () => 'a name') })).call('sample', {});
  t.match(result, { failed: /too large.*"limit"/ });
});

void t.test('dates become texts, and undefined members are left out', async (t) => {
  const result = await serving(() => ({ at: new Date(0), none: undefined, nothing: null })).call('sample', {});
  t.strictSame(result, { data: { at: '1970-01-01T00:00:00.000Z', nothing: null } });
});

void t.test('the schema of a result has the members that may be added', async (t) => {
  const [tool] = await serving(() => ({})).list();
  t.match(tool, {
    title: 'Sample',
    outputSchema: { properties: { own: {}, truncated: { type: 'boolean' }, note: { type: 'string' } } },
    annotations: { title: 'Sample', readOnlyHint: true },
  });
  t.equal(await serving(() => ({})).call('other', {}), undefined);
});
