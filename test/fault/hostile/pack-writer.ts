// Builds a repository from given objects, even malformed ones: a pack written byte by byte, and its refs.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { run } from '#test/support/servers/program';

const types = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;
type Type = keyof typeof types;
/** The object type of a delta in gitformat-pack, "Object types". */
const refDelta = 7;

export interface Entry {
  /** Written as in git: `100644`, `40000`, `120000`, `160000`. */
  readonly mode: string;
  readonly name: string | Buffer;
  readonly oid: string;
}

export interface CommitParts {
  readonly tree: string;
  readonly parents?: readonly string[];
  readonly author?: string | Buffer;
  readonly committer?: string | Buffer;
  /** Lines between the committer and the message, each with its line end. */
  readonly headers?: string | Buffer;
  readonly message?: string | Buffer;
}

const environment = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
};
export const ada = 'Ada <ada@example.com> 1700000000 +0000';

/** Runs the stock git client. No exit code is an error. */
export const stock = (args: readonly string[], input?: Buffer, signal?: AbortSignal) =>
  run('git', args, {
    environment,
    ...(input === undefined ? {} : { input }),
    ...(signal === undefined ? {} : { signal }),
  });

export class PackWriter {
  readonly #objects = new Map<string, Buffer>();
  readonly refs = new Map<string, string>();
  /** Paths to read, in `main` and in other refs. */
  readonly paths: (string | Buffer)[] = [];

  object(type: Type, content: string | Buffer): string {
    const bytes = Buffer.from(content);
    const oid = idOf(type, bytes.length, [bytes]);
    if (!this.#objects.has(oid)) this.#objects.set(oid, packed(types[type], bytes.length, bytes));
    return oid;
  }

  blob(content: string | Buffer): string {
    return this.object('blob', content);
  }

  /** Entries are sorted as by git, unless `order` is "as given". */
  tree(entries: readonly Entry[], order: 'sorted' | 'as given' = 'sorted'): string {
    const rows = entries.map(({ mode, name, oid }) => ({ mode, name: Buffer.from(name), oid }));
    const key = ({ mode, name }: (typeof rows)[number]): Buffer =>
      mode === '40000' ? Buffer.concat([name, Buffer.from('/')]) : name;
    if (order === 'sorted') rows.sort((one, other) => Buffer.compare(key(one), key(other)));
    return this.object(
      'tree',
      Buffer.concat(
        rows.flatMap(({ mode, name, oid }) => [
          Buffer.from(`${mode} `),
          name,
          Buffer.from('\0'),
          Buffer.from(oid, 'hex'),
        ]),
      ),
    );
  }

  /** A tree of these files, with folders for the slashes in their paths. */
  files(files: Readonly<Record<string, string | Buffer>>): string {
    const here: Entry[] = [];
    const below = new Map<string, Record<string, string | Buffer>>();
    for (const [path, content] of Object.entries(files)) {
      const slash = path.indexOf('/');
      if (slash < 0) here.push({ mode: '100644', name: path, oid: this.blob(content) });
      else {
        const folder = below.get(path.slice(0, slash)) ?? {};
        folder[path.slice(slash + 1)] = content;
        below.set(path.slice(0, slash), folder);
      }
    }
    for (const [name, content] of below) here.push({ mode: '40000', name, oid: this.files(content) });
    return this.tree(here);
  }

  commit({
    tree,
    parents = [],
    author = ada,
    committer = ada,
    headers = '',
    message = 'Commit\n',
  }: CommitParts): string {
    return this.object(
      'commit',
      Buffer.concat(
        [
          `tree ${tree}\n${parents.map((parent) => `parent ${parent}\n`).join('')}author `,
          author,
          '\ncommitter ',
          committer,
          '\n',
          headers,
          '\n',
          message,
        ].map((part) => Buffer.from(part)),
      ),
    );
  }

  tag(name: string, commit: string, message: string | Buffer, tagger: string | Buffer = ada): string {
    return this.object(
      'tag',
      Buffer.concat(
        [`object ${commit}\ntype commit\ntag ${name}\ntagger `, tagger, '\n\n', message].map((part) =>
          Buffer.from(part),
        ),
      ),
    );
  }

  /** A blob of `times` × 1 MiB that takes a few bytes in the pack: a delta with many copies of one object. */
  deltaBomb(times: number): string {
    const mebibyte = Buffer.alloc(1024 ** 2, 'a');
    const base = this.blob(mebibyte);
    const size = times * mebibyte.length;
    const oid = idOf(
      'blob',
      size,
      Array.from({ length: times }, () => mebibyte),
    );
    const copies = Buffer.alloc(2 * times);
    for (let index = 0; index < times; index += 1) copies.set([0x80 | 0x40, 0x10], 2 * index);
    const delta = Buffer.concat([variable(mebibyte.length), variable(size), copies]);
    this.#objects.set(oid, packed(refDelta, delta.length, delta, Buffer.from(base, 'hex')));
    return oid;
  }

  /** Writes everything into a new bare repository at `directory`. */
  async save(directory: string): Promise<void> {
    const head = Buffer.alloc(12, 'PACK');
    head.writeUInt32BE(2, 4);
    head.writeUInt32BE(this.#objects.size, 8);
    const pack = Buffer.concat([head, ...this.#objects.values()]);
    await must(['init', '--quiet', '--bare', '--initial-branch=main', directory]);
    const whole = Buffer.concat([pack, createHash('sha1').update(pack).digest()]);
    await must(['-C', directory, 'index-pack', '--stdin', '--fix-thin'], whole);
    const lines = [...this.refs].toSorted(([one], [other]) => (one < other ? -1 : 1));
    await writeFile(join(directory, 'packed-refs'), lines.map(([ref, oid]) => `${oid} ${ref}\n`).join(''));
  }
}

async function must(args: readonly string[], input?: Buffer): Promise<void> {
  const { code, stderr } = await stock(args, input);
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`);
}

function idOf(type: Type, size: number, parts: readonly Buffer[]): string {
  const hash = createHash('sha1').update(`${type} ${size}\0`);
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** An object in the format of a pack. */
function packed(type: number, size: number, content: Buffer, base: Buffer = Buffer.alloc(0)): Buffer {
  const header = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    header[header.length - 1] = (header.at(-1) ?? 0) | 0x80;
    header.push(rest & 127);
  }
  return Buffer.concat([Buffer.from(header), base, deflateSync(content, { level: 1 })]);
}

/** A number in groups of seven bits, lowest first. */
function variable(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest & 127) | (rest > 127 ? 0x80 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.from(bytes);
}
