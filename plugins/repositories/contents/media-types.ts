// The content type of a raw file by its extension, and whether a browser may display it.

const text = 'text/plain; charset=utf-8';

/**
 * Types that a browser only displays. Scripts and styles are among them, because a browser shows them as text if they
 * are opened directly. Other source code is plain text.
 */
const passive: Readonly<Record<string, string>> = {
  txt: text,
  md: 'text/markdown; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  cjs: 'text/javascript; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  yaml: text,
  yml: text,
  toml: text,
  ini: text,
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  bmp: 'image/bmp',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  webm: 'video/webm',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  zip: 'application/zip',
  gz: 'application/gzip',
  tgz: 'application/gzip',
  tar: 'application/x-tar',
  xz: 'application/x-xz',
  bz2: 'application/x-bzip2',
  '7z': 'application/x-7z-compressed',
  jar: 'application/java-archive',
};

/** Documents that could run scripts or load resources in the forge's origin. They are always sent as a download. */
const active: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  htm: 'text/html; charset=utf-8',
  xhtml: 'application/xhtml+xml',
  xht: 'application/xhtml+xml',
  shtml: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
  svgz: 'image/svg+xml',
  xml: 'application/xml',
  xsl: 'application/xml',
  xslt: 'application/xslt+xml',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
  pdf: 'application/pdf',
  wasm: 'application/wasm',
  swf: 'application/x-shockwave-flash',
  mht: 'multipart/related',
  mhtml: 'multipart/related',
  hta: 'application/hta',
};

export interface MediaType {
  readonly type: string;
  readonly attachment: boolean;
}

export function mediaType(path: string, isBinary: boolean): MediaType {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(active, extension)) return { type: active[extension] ?? text, attachment: true };
  const known = Object.hasOwn(passive, extension) ? passive[extension] : undefined;
  return { type: known ?? (isBinary ? 'application/octet-stream' : text), attachment: isBinary };
}

/**
 * The header of a download (RFC 6266): an ASCII fallback and the encoded name, both without characters that could end
 * the header or the quotes.
 */
export function attachment(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toWellFormed();
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Images of more bytes are only downloaded. */
const largestImage = 20 * 1024 * 1024;

/** Whether a page shows the file as an image. SVG is among them: in `<img>` it runs and loads nothing. */
export const isShownImage = (path: string, bytes: number): boolean =>
  mediaType(path, true).type.startsWith('image/') && bytes <= largestImage;

/** The type of a file that a browser opens: an image, plain text, or a download. */
export function browserType(path: string, isBinary: boolean): MediaType {
  const known = mediaType(path, true).type;
  if (known.startsWith('image/')) return { type: known, attachment: known === 'image/svg+xml' };
  return isBinary ? { type: known, attachment: true } : { type: text, attachment: false };
}
