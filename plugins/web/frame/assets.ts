// Style sheets and scripts of pages. Each is served under the digest of its text and never changes.
import { anyone, api, ByteStream, NotFound, reply, type Route } from 'hexforge/plugin';
import { codingFor, readStaticFiles, type Coding } from '#adapters/static-files/index';

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The style sheet, in the order of its parts. */
const styles = [
  'base',
  'frame',
  'controls',
  'things',
  'code',
  'markup',
  'repositories',
  'planning',
  'merges',
  'admin',
  'account',
  'search',
];
/** The parts of the only script: each further file would delay the first paint. They do not import each other. */
const scripts = ['menus', 'keys', 'copy', 'live', 'lines', 'search', 'definitions'];

export interface Assets {
  readonly styles: string;
  readonly script: string;
  readonly icon: string;
  /** Undefined for an unknown name or another digest. */
  find(name: string, digest: string): Readonly<Record<Coding, Uint8Array>> | undefined;
}

/** A year: the digest in the path changes with the text. */
const immutable = 'public, max-age=31536000, immutable';

/** All files have one digest. @throws {Error} if one is missing. */
export function readAssets(): Assets {
  const { digest, files } = readStaticFiles(new URL('../assets/', import.meta.url), {
    'icon.svg': ['images/icon.svg'],
    'web.css': styles.map((name) => `styles/${name}.css`),
    'web.js': scripts.map((name) => `scripts/${name}.js`),
  });
  const pathOf = (name: string): string => `/-/assets/${digest}/${name}`;
  return {
    styles: pathOf('web.css'),
    script: pathOf('web.js'),
    icon: pathOf('icon.svg'),
    find: (name, wanted) => (wanted === digest ? files.get(name) : undefined),
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
      const bytes = file[coding];
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
