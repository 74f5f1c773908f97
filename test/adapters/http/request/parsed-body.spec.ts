// JSON request bodies that are large or have many values.
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import Joi from 'joi';
import t from 'tap';
import { api } from '#adapters/http/descriptor/route';
import { readJson } from '#adapters/http/request/parsed-body';
import { anyone } from '#core/kernel/access/access';
import { json, startRig } from '../rig.ts';

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

  await t.test('values are counted outside of texts, wherever a text ends', async (t) => {
    const x = 'x'.repeat(63);
    for (const [inside, what] of [
      [`${x},`, 'a comma'],
      [`${x}xx,[{`, 'brackets'],
      [`${x}xx\\",[`, 'an escaped quote'],
      [`${x}xx\\\\\\",[`, 'an escaped backslash before it'],
      [`\\"${x}${x}\\",[`, 'two of them'],
      ['\\"'.repeat(1000), 'many quotes'],
      ['\\\\'.repeat(1000), 'many backslashes'],
      ['', 'nothing'],
    ] as const) {
      const full = `["${inside}"${',1'.repeat(19_998)}]`;
      t.equal(((await read(full)) as unknown[]).length, 19_999, what);
      await t.rejects(read(`${full.slice(0, -1)},1]`), { code: 'validation_failed' }, what);
    }
  });

  await t.test('a body over 1 MiB with long texts equals what JSON.parse returns', async (t) => {
    for (const piece of [
      'abc',
      'ü€',
      '😀',
      '\\n',
      '\\\\',
      '\\"',
      '\\u00fc',
      '\\ud83d\\ude00',
      'x\\\\\\\\\\"',
      '\\u005c',
    ]) {
      const text = `{ "a": ["${piece.repeat(Math.ceil((1.2 * mib) / piece.length))}", 1], "b" : "" }`;
      t.ok(JSON.stringify(await read(text)) === JSON.stringify(JSON.parse(text)), piece);
    }
    for (const text of [`"${'x'.repeat(2 * mib)}"`, `{"${'k'.repeat(100_000)}" \t\r\n:["${'x'.repeat(2 * mib)}"]}`])
      t.strictSame(await read(text), JSON.parse(text));
  });
});

void t.test('invalid JSON is rejected as usual, and many values next to long texts are too large', async (t) => {
  const long = 'x'.repeat(2 * mib);
  const body = Joi.object<object>().unknown();
  const rig = await startRig(t, [
    api({
      access: anyone,
      scope: null,
      meter: 'none',
      summary: 'For a test',
      id: 'large',
      method: 'POST',
      path: '/large',
      body,
      maxBytes: 50 * mib,
      result: 'empty',
      run: () => undefined,
    }),
  ]);
  const post = async (text: string) => {
    const { status, body: told } = await rig.call('POST', '/api/v1/large', json(text));
    return [status, (told as { error_code?: string } | undefined)?.error_code];
  };
  t.strictSame(await post(`{"a":"${long}"}`), [204, undefined]);
  for (const text of [
    `{"a":"${long}`,
    `{"a":"${long}\\"}`,
    `{"a":"${long}\n"}`,
    `{"a":"${long}\\x"}`,
    `{"a":"${long}\\"`,
    `{"a":"${long}"} x`,
    `{"a":"${long}""}`,
  ])
    t.strictSame(await post(text), [400, 'malformed_json'], text.slice(-6));
  t.strictSame(await post(`{"a":"${long}\\u0000"}`), [400, 'validation_failed'], 'NUL in a long text');
  t.strictSame(
    await post(`{"a":${'['.repeat(100)}"${long}"${']'.repeat(100)}}`),
    [400, 'validation_failed'],
    'nesting',
  );
  t.strictSame(
    await post(`{"a":"${long}","b":[${'0,'.repeat(mib / 4)}0]}`),
    [400, 'validation_failed'],
    'more values than a body may have',
  );
  t.strictSame(await post(`{"a":[${'0,'.repeat(mib)}0]}`), [413, 'payload_too_large'], 'many small values');
  t.strictSame(await post(`{"a":["${'x","'.repeat(mib)}"]}`), [413, 'payload_too_large'], 'many small texts');
});
