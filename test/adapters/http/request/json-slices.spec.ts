// Large JSON bodies are parsed as by JSON.parse without blocking the event loop.
import Joi from 'joi';
import t from 'tap';
import { restored, skeletonOf } from '#adapters/http/request/json-slices';
import { api } from '#adapters/http/descriptor/route';
import { anyone } from '#core/kernel/access/access';
import { countingTurns } from '#test/support/clients/turns';
import { json, startRig } from '../rig.ts';

const mib = 1024 ** 2;
const sliced = async (text: string): Promise<unknown> => {
  const { bytes, strings } = await skeletonOf(Buffer.from(text), mib);
  return restored(JSON.parse(bytes.toString()), strings);
};

void t.test('a text parsed in slices equals JSON.parse, wherever the slices end', async (t) => {
  // Lengths that share no factor with a slice, so that cuts fall on every position in them.
  const pieces = ['abc', 'ü€', '😀', '\\n', '\\\\', '\\"', '\\u00fc', '\\ud83d\\ude00', 'x\\\\\\\\\\"', '\\u005c'];
  for (const piece of pieces) {
    for (let shift = 0; shift < 7; shift += 1) {
      const text = `{ "a": ["${'.'.repeat(shift)}${piece.repeat(Math.ceil((1.2 * mib) / piece.length))}", 1], "b" : "" }`;
      t.ok(JSON.stringify(await sliced(text)) === JSON.stringify(JSON.parse(text)), `${piece}, ${shift}`);
    }
  }
  for (const text of [
    '[]',
    '"x"',
    ' "" ',
    `"${'x'.repeat(2 * mib)}"`,
    `{"${'k'.repeat(100_000)}":["${'x'.repeat(100_000)}"]}`,
    `{"${'k'.repeat(100_000)}" \t\r\n:["${'x'.repeat(100_000)}"]}`,
  ])
    t.strictSame(await sliced(text), JSON.parse(text));
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

void t.test('the event loop runs while a large text is parsed', async (t) => {
  const { turns } = await countingTurns(() => sliced(`{"content":"${'QUJD'.repeat(4 * mib)}"}`));
  t.ok(turns >= 16, `${turns} turns`);
});
