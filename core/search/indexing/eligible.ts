// Which files are indexed: text that people wrote.

/** Bytes of the largest file. */
export const largestFile = 1024 * 1024;
/** Bytes of UTF-8. */
const longestPath = 2000;
/** Characters of a line; the rest of it is not indexed. */
export const longestLine = 2000;
/** Lines of a file; the rest is not indexed. */
const mostLines = 50_000;

/** Names of files that programs write. */
const generatedNames = new Set([
  'bun.lock',
  'cargo.lock',
  'composer.lock',
  'flake.lock',
  'gemfile.lock',
  'go.sum',
  'mix.lock',
  'npm-shrinkwrap.json',
  'package-lock.json',
  'pdm.lock',
  'pipfile.lock',
  'pnpm-lock.yaml',
  'poetry.lock',
  'pubspec.lock',
  'uv.lock',
  'yarn.lock',
]);
const generatedName =
  /(?:\.min\.(?:js|css)|\.map|\.pb\.go|_pb2(?:_grpc)?\.py|\.pb\.(?:cc|h)|\.g\.dart|\.designer\.cs)$/;
/** Formats that are never text. Their content is not read. */
const binaryName =
  /\.(?:7z|a|avif|bin|bmp|bz2|class|db|dll|dylib|eot|exe|gif|gz|ico|jar|jpeg|jpg|lib|mp3|mp4|o|otf|pdf|png|pyc|so|sqlite|tar|tgz|ttf|wasm|webp|woff2?|xz|zip|zst)$/;

const utf8 = new TextEncoder();

/** Whether a file may be indexed by its path alone. */
export function isEligiblePath(path: string): boolean {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf('/') + 1);
  if (generatedNames.has(name) || generatedName.test(name) || binaryName.test(name)) return false;
  return path.length <= longestPath / 3 || utf8.encode(path).length <= longestPath;
}

/** git's own rule for binary files: a NUL byte among the first 8000 bytes. */
export const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, 8000).includes(0);

/** The marks of generators, which stand near the beginning. */
const generatedMark =
  /@generated|\bgenerated (?:by|from|code|file)\b[^\n]{0,200}\bdo not (?:edit|modify)\b|\bdo not edit\b[^\n]{0,100}\bgenerated\b/;
/** Characters at the beginning that are searched for such a mark. */
const markRoom = 2000;
/** Characters per line from which a file counts as minified or as data. */
const dense = 500;

/** Whether a program wrote the text. @param lines of the text, at most `mostLines`. */
export function isGenerated(text: string, lines: number): boolean {
  if (generatedMark.test(text.slice(0, markRoom).toLowerCase())) return true;
  return text.length > 8 * dense && text.length / lines > dense;
}

/** The text without the ends of long lines and without lines beyond the limit. */
export function bounded(text: string): { readonly text: string; readonly lines: number } {
  let lines = 1;
  let isLong = false;
  for (let start = 0; ; lines += 1) {
    const end = text.indexOf('\n', start);
    isLong ||= (end < 0 ? text.length : end) - start > longestLine;
    if (end < 0 || lines === mostLines) {
      const whole = end < 0 ? text : text.slice(0, end);
      return {
        text: isLong
          ? whole
              .split('\n')
              .map((line) => line.slice(0, longestLine))
              .join('\n')
          : whole,
        lines,
      };
    }
    start = end + 1;
  }
}
