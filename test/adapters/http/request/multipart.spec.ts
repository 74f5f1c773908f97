// Forms with files.
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import t from 'tap';
import { UploadedFile } from '#adapters/http/descriptor/uploaded-file';
import { readFormWithFiles } from '#adapters/http/request/multipart';

const read = (body: string, type = 'multipart/form-data; boundary=x-1', maxBytes = 100_000): Promise<unknown> => {
  const incoming = new IncomingMessage(new Socket());
  incoming.headers = { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) };
  incoming.push(body);
  incoming.push(null);
  return readFormWithFiles(incoming, maxBytes, () => undefined);
};
const part = (disposition: string, content: string): string =>
  `--x-1\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const end = '--x-1--\r\n';

void t.test('forms with files', async (t) => {
  t.match(
    await read(
      part('name="a"', 'é\r\n--x-2') +
        part('filename="C:\\\\x\\\\%22ü%22.txt"; name="f"', '\r\n--x') +
        part('name="a"', 'b') +
        part('name="none"', '') +
        part('name="absent"; filename=""', '') +
        end,
    ),
    { a: ['é\r\n--x-2', 'b'], f: new UploadedFile('"ü".txt', Buffer.from('\r\n--x')) },
    'texts, a repeated name, and a file with the start of a boundary',
  );
  t.strictSame(await read(end), {});
  t.strictSame(await read('a=b&a=c', 'application/x-www-form-urlencoded'), { a: ['b', 'c'] });
  t.strictSame(
    Object.keys(
      (await read(
        part('name="a"', '').replaceAll('x-1', 'q') + '--q--',
        'multipart/form-data; boundary="q"',
      )) as object,
    ),
    [],
  );
});

void t.test('forms that are not valid', async (t) => {
  for (const [body, detail] of [
    [part('name="a"', 'b'), /last boundary is missing/],
    [`\r\n${end}`, /does not begin with its boundary/],
    ['--x-1 \r\n', /not at the end of its line/],
    [`--x-1\r\n${'h'.repeat(5000)}\r\n\r\n\r\n${end}`, /The head of a part/],
    [part('filename="a"', 'b') + end, /has no name/],
    [part('name="a"', 'b').repeat(101) + end, /more than 100 fields/],
  ] as const) {
    await t.rejects(read(body), { code: 'validation_failed', detail });
  }
  const long = part('name="a"', 'b'.repeat(600_000)).repeat(2) + end;
  await t.rejects(read(long, undefined, 2_000_000), {
    code: 'validation_failed',
    detail: /texts have more than 1048576 bytes/,
  });
  await t.rejects(read('a', 'text/plain'), { code: 'unsupported_media_type' });
  await t.rejects(read(part('name="a"', 'b'.repeat(100_001)) + end), { code: 'payload_too_large' });
});
