// JSON request bodies that are large or have many values.
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { hasMoreValues } from '#adapters/http/request/json-values';
import { readJson } from '#adapters/http/request/parsed-body';

const mib = 1024 ** 2;

function message(text: string): IncomingMessage {
  const incoming = new IncomingMessage(new Socket());
  incoming.headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
  incoming.push(text);
  incoming.push(null);
  return incoming;
}
const read = (text: string): Promise<unknown> => readJson(message(text), 50 * mib, () => undefined);

void t.test('JSON bodies', async (t) => {
  await t.test('of large bodies that arrive together, one is parsed per event loop iteration', async (t) => {
    const ended: number[] = [];
    let turns = 0;
    const text = `{"a":"${'x'.repeat(mib / 2)}"}`;
    const all = Promise.all(
      Array.from({ length: 8 }, async () => {
        await read(text);
        ended.push(turns);
      }),
    );
    for (; ended.length < 8; turns += 1) await turn();
    await all;
    t.equal(new Set(ended).size, 8, ended.join(' '));
  });

  await t.test('an invalid body does not delay the next one', async (t) => {
    const broken = read('['.repeat(mib / 2));
    const good = read(`["${'x'.repeat(mib / 2)}"]`);
    await t.rejects(broken, { code: 'validation_failed' });
    t.equal(((await good) as string[])[0]?.length, mib / 2);
  });

  await t.test('values are counted outside of strings, wherever a string ends', async (t) => {
    const x = 'x'.repeat(63);
    for (const [inside, what] of [
      [`${x},`, 'a comma at the end of a stretch'],
      [`${x}xx,[{`, 'a comma behind it'],
      [`${x}xx\\",[`, 'an escaped quote that is searched for'],
      [`${x}\\",[`, 'an escape over the end of a stretch'],
      [`${x}xx\\\\\\",[`, 'an escaped backslash before it'],
      [`\\"${x}${x}\\",[`, 'two of them'],
      ['\\"'.repeat(1000), 'many quotes'],
      ['\\\\'.repeat(1000), 'many backslashes'],
      ['', 'nothing'],
    ] as const) {
      const bytes = Buffer.from(`["${inside}",1]`);
      JSON.parse(bytes.toString());
      t.notOk(hasMoreValues(bytes, 3), what);
      t.ok(hasMoreValues(bytes, 2), what);
    }
    t.notOk(hasMoreValues(Buffer.from(`["${x}${x}`), 2), 'a string without an end');
  });
});
