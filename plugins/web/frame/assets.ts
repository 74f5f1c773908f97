// Style sheets and scripts of pages. Each is served under the digest of its text and never changes.
import { anyone, api, ByteStream, NotFound, reply, type Route } from 'hexforge/plugin';
import { codingFor, readStaticFile, type StaticFile } from '#adapters/static-files/index';

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

export interface Assets {
  /** The path of a file in `assets`, such as `web.css`. */
  pathOf(name: string): string;
  /** Undefined for an unknown name or another digest. */
  find(name: string, digest: string): StaticFile | undefined;
}

/** A year: the digest in the path changes with the text. */
const immutable = 'public, max-age=31536000, immutable';

/** @throws {Error} if a file is missing. */
export function readAssets(names: readonly string[]): Assets {
  const files = new Map(
    names.map((name) => [name, readStaticFile(new URL(`../assets/${name}`, import.meta.url))] as const),
  );
  return {
    pathOf(name) {
      const file = files.get(name);
      if (file === undefined) throw new Error(`there is no asset "${name}"`);
      return `/-/assets/${file.digest}/${name}`;
    },
    find(name, digest) {
      const file = files.get(name);
      return file?.digest === digest ? file : undefined;
    },
  };
}

export const assetRoutes = (assets: Assets): readonly Route[] => [
  api({
    id: 'webAsset',
    summary: 'A style sheet or script of the pages',
    method: 'GET',
    mount: 'root',
    path: '/-/assets/{digest}/{name}',
    access: anyone,
    scope: null,
    meter: 'none',
    hidden: true,
    result: 'bytes',
    run(_call, { params: { digest, name }, header }) {
      const file = assets.find(name, digest);
      if (file === undefined) throw new NotFound('There is nothing at this path');
      const coding = codingFor(header('accept-encoding') ?? '');
      const bytes = file.bytes[coding];
      const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
      return reply(new ByteStream(once(bytes), { type, length: bytes.byteLength }), {
        headers: {
          'cache-control': immutable,
          vary: 'accept-encoding',
          'cross-origin-resource-policy': 'same-origin',
          ...(coding !== 'identity' && { 'content-encoding': coding }),
        },
      });
    },
  }),
];

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
