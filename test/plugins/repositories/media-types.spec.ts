// Raw files: content types that are displayed, those that are attachments, and file names that cannot break out of
// their header.
import t from 'tap';
import { attachment, mediaType } from '#plugins/repositories/contents/media-types';

void t.test(
  'a document that a browser would execute is an attachment, and so is a binary file; source code is not',
  async (t) => {
    const table = [
      ['a.md', false, 'text/markdown; charset=utf-8', false],
      ['a.ts', false, 'text/plain; charset=utf-8', false],
      ['LICENSE', false, 'text/plain; charset=utf-8', false],
      ['a.html', false, 'text/html; charset=utf-8', true],
      ['A.HTM', false, 'text/html; charset=utf-8', true],
      ['a.svg', false, 'image/svg+xml', true],
      ['a.xml', false, 'application/xml', true],
      ['a.js', false, 'text/javascript; charset=utf-8', false],
      ['a.mjs', false, 'text/javascript; charset=utf-8', false],
      ['a.cjs', false, 'text/javascript; charset=utf-8', false],
      ['a.css', false, 'text/css; charset=utf-8', false],
      ['a.json', false, 'application/json', false],
      ['a.tsx', false, 'text/plain; charset=utf-8', false],
      ['a.js', true, 'text/javascript; charset=utf-8', true],
      ['a.css', true, 'text/css; charset=utf-8', true],
      ['a.pdf', true, 'application/pdf', true],
      ['a.wasm', true, 'application/wasm', true],
      ['a.xhtml', false, 'application/xhtml+xml', true],
      ['a.png', true, 'image/png', true],
      ['a', true, 'application/octet-stream', true],
      ['a.constructor', false, 'text/plain; charset=utf-8', false],
      ['dir.html/a', false, 'text/plain; charset=utf-8', false],
      ['.html', false, 'text/html; charset=utf-8', true],
    ] as const;
    for (const [path, isBinary, type, download] of table)
      t.same(mediaType(path, isBinary), { type, attachment: download }, path);
  },
);

void t.test('a file name cannot break out of its header (RFC 6266)', async (t) => {
  const table = [
    ['a/b/plain.txt', `attachment; filename="plain.txt"; filename*=UTF-8''plain.txt`],
    ['größe "x".txt', `attachment; filename="gr__e _x_.txt"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%22x%22.txt`],
    [
      'a\r\nSet-Cookie: x=1',
      `attachment; filename="a__Set-Cookie: x=1"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x%3D1`,
    ],
    ["100%(*)'s.bin", `attachment; filename="100_(*)'s.bin"; filename*=UTF-8''100%25%28%2A%29%27s.bin`],
    ['\ud800.bin', `attachment; filename="_.bin"; filename*=UTF-8''%EF%BF%BD.bin`],
  ] as const;
  for (const [path, header] of table) t.equal(attachment(path), header);
});
