// The command line for dead letters: listing, replaying and dropping them on a running server.
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openMemory } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import { on } from '#core/kernel/storage/events';
import { main } from '#host/cli/main';
import { openControl } from '#host/control/socket';
import { deadLetterControls } from '#host/control/controls';
import type {} from '../sample-ports.ts';
import { nothingBut } from '#test/support/plugin-list';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A server with two dead letters of the plugin "bell" and one missed event of "gone"; its socket is in the folder. */
async function serving(t: Test) {
  const cwd = t.testdir({ data: {} });
  const storage = openMemory({
    clock: systemClock,
    ids: systemIds,
    log: silent,
    tuning: { attempts: 1, pause: 1 },
  });
  let well = false;
  await storage.deliver([
    {
      plugin: 'bell',
      subscription: on('sample.happened', {
        name: 'ring',
        delivery: 'durable',
        handle: async () => {
          if (!well) throw new Error('the bell is cracked\nbadly');
        },
      }),
    },
  ]);
  const emit = (what: string) =>
    storage.unitOfWork.run(() =>
      storage.events.emit({ type: 'sample.happened', aggregate: `sample:${what}`, payload: { what } }),
    );
  const ids = [await emit('one'), await emit('two')];
  await storage.drained();
  const close = await openControl(join(cwd, 'data'), deadLetterControls(storage.deliveries));
  t.teardown(async () => {
    await close();
    await storage.close();
  });
  const run = async (args: readonly string[], confirm?: (question: string) => Promise<boolean>) => {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await main(args, {
      cwd,
      environment: {
        HEXFORGE_DATABASE: 'memory',
        HEXFORGE_LOG_LEVEL: 'silent',
        HEXFORGE_PLUGINS: nothingBut(),
      },
      stdout: { write: (text) => out.push(text) },
      stderr: { write: (text) => err.push(text) },
      ...(confirm === undefined ? {} : { confirm }),
    });
    return { code, out: out.join(''), err: err.join('') };
  };
  return {
    run,
    ids,
    storage,
    recover: () => {
      well = true;
    },
  };
}

void t.test('dead letters are listed with plugin, handler and error, oldest first', async (t) => {
  const { run, ids } = await serving(t);
  const { code, out } = await run(['plugins', 'parked']);
  t.equal(code, 0);
  const [head, first, second, ...rest] = out.trimEnd().split('\n');
  t.match(head, /^PLUGIN +HANDLER +EVENT +TYPE +SINCE +ATTEMPTS +ERROR$/);
  t.match(first, new RegExp(`^bell +ring +${ids[0]} +sample\\.happened +\\d{4}-[^ ]+Z +1 +the bell is cracked$`));
  t.match(second, new RegExp(`^bell +ring +${ids[1]} `));
  t.strictSame(rest, []);
  const json: unknown = JSON.parse((await run(['plugins', 'parked', '--json'])).out);
  t.match(json, {
    events: [{ plugin: 'bell', event: ids[0] }, { event: ids[1] }],
    subscriptions: [{ plugin: 'bell', subscription: 'ring', waiting: 0, parked: 2, missed: 0 }],
  });
});

void t.test('one dead letter is replayed by its id, the others by their plugin', async (t) => {
  const { run, ids, storage, recover } = await serving(t);
  recover();
  t.match(await run(['plugins', 'replay', 'bell', ids[1] ?? '']), {
    code: 0,
    out: '1 event of "bell" will be handed to its handlers again\n',
  });
  t.match(await run(['plugins', 'replay', 'bell']), {
    code: 0,
    out: '1 event of "bell" will be handed to its handlers again\n',
  });
  await storage.drained();
  t.match(await run(['plugins', 'parked']), { code: 0, out: 'no event is parked\n' });
  t.match(await run(['plugins', 'replay', 'bell']), {
    code: 1,
    out: 'No such event is parked for "bell". hexforge plugins parked lists them.\n',
  });
});

void t.test('dead letters are dropped after a confirmation, or with --yes', async (t) => {
  const { run, ids, storage } = await serving(t);
  const count = async () => (await storage.deliveries.parkedCounts()).get('bell') ?? 0;
  t.match(await run(['plugins', 'drop', 'bell']), { code: 64, err: /--yes/ });
  const questions: string[] = [];
  const say = (answer: boolean) => async (question: string) => {
    questions.push(question);
    return answer;
  };
  t.match(await run(['plugins', 'drop', 'bell'], say(false)), { code: 1, out: 'Nothing was dropped\n' });
  t.equal(await count(), 2);
  t.match(await run(['plugins', 'drop', 'bell', ids[0] ?? ''], say(true)), {
    code: 0,
    out: '1 event of "bell" dropped\n',
  });
  t.match(await run(['plugins', 'drop', 'bell', '--yes']), { code: 0, out: '1 event of "bell" dropped\n' });
  t.equal(await count(), 0);
  t.strictSame(questions.slice(0, 1), [
    'All parked events of "bell" go for good: "bell" will never see what they told. Drop? [y/N] ',
  ]);
  t.match(await run(['plugins', 'drop', 'bell', 'one', 'two', '--yes']), { code: 64, err: /does not take "two"/ });
});
