// The entries of a tar archive as git-archive(1) writes them: ustar, with pax headers for long names.

const recordBytes = 512;
const blockBytes = 20 * recordBytes;
const [nameBytes, prefixBytes] = [100, 155];
const [regular, link, folder] = ['0', '2', '5'];

export interface ArchivedFile {
  /** Below the prefix, bytes as latin1; of a folder or submodule with a slash at its end. */
  readonly path: string;
  /** As in a tree. */
  readonly mode: string;
  readonly oid: string;
  /** Empty for a folder or submodule. */
  readonly content: Buffer;
}

interface Fields {
  readonly name: string;
  readonly prefix?: string;
  readonly mode: number;
  readonly size: number;
  readonly type: string;
  readonly target?: string;
}

export class Tar {
  readonly #time: number;
  #bytes = 0;

  /** @param time seconds since 1970. */
  constructor(time: number) {
    this.#time = time;
  }

  /** The pax header with the commit of the archive. */
  head(commit: string): Buffer {
    return this.#counted([this.#extended('g', 'pax_global_header', extension('comment', commit))]);
  }

  entry({ path, mode, oid, content }: ArchivedFile): Buffer {
    const type = mode === '120000' ? link : mode.startsWith('100') ? regular : folder;
    const permissions = type === link ? 0o777 : type === folder || mode === '100755' ? 0o775 : 0o664;
    const extensions: Buffer[] = [];
    let [name, prefix, target] = [path, '', type === link ? content.toString('latin1') : ''];
    if (path.length > nameBytes) {
      const length = prefixLength(path);
      const rest = path.slice(length + 1);
      if (length > 0 && rest.length <= nameBytes) [prefix, name] = [path.slice(0, length), rest];
      else {
        name = `${oid}.data`;
        extensions.push(extension('path', path));
      }
    }
    if (target.length > nameBytes) {
      extensions.push(extension('linkpath', target));
      target = `see ${oid}.paxheader`;
    }
    const size = type === regular ? content.length : 0;
    return this.#counted([
      ...(extensions.length === 0 ? [] : [this.#extended('x', `${oid}.paxheader`, Buffer.concat(extensions))]),
      this.#record({ name, prefix, mode: permissions, size, type, target }),
      ...(size === 0 ? [] : [padded(content)]),
    ]);
  }

  /** Fills the last block. */
  end(): Buffer {
    const rest = blockBytes - (this.#bytes % blockBytes);
    return Buffer.alloc(rest < 2 * recordBytes ? rest + blockBytes : rest);
  }

  #counted(parts: readonly Buffer[]): Buffer {
    const whole = Buffer.concat(parts);
    this.#bytes += whole.length;
    return whole;
  }

  #extended(type: string, name: string, content: Buffer): Buffer {
    return Buffer.concat([this.#record({ name, mode: 0o666, size: content.length, type }), padded(content)]);
  }

  #record({ name, prefix = '', mode, size, type, target = '' }: Fields): Buffer {
    const record = Buffer.alloc(recordBytes);
    const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
    record.write(name, 0, 'latin1');
    record.write(octal(mode, 7), 100);
    record.write(octal(0, 7), 108);
    record.write(octal(0, 7), 116);
    record.write(octal(size, 11), 124);
    record.write(octal(this.#time, 11), 136);
    record.fill(0x20, 148, 156);
    record.write(type, 156);
    record.write(target, 157, 'latin1');
    record.write('ustar\x0000', 257, 'latin1');
    record.write('root', 265);
    record.write('root', 297);
    record.write(octal(0, 7), 329);
    record.write(octal(0, 7), 337);
    record.write(prefix, 345, Math.min(prefix.length, prefixBytes), 'latin1');
    let sum = 0;
    for (const byte of record) sum += byte;
    record.write(`${octal(sum, 7)}\0`, 148, 'latin1');
    return record;
  }
}

/** `length name=value`, where the length counts itself. */
function extension(name: string, value: string): Buffer {
  const rest = ` ${name}=${value}\n`;
  let length = rest.length;
  while (`${length}${rest}`.length !== length) length = `${length}${rest}`.length;
  return Buffer.from(`${length}${rest}`, 'latin1');
}

function padded(content: Buffer): Buffer {
  const rest = content.length % recordBytes;
  return rest === 0 ? content : Buffer.concat([content, Buffer.alloc(recordBytes - rest)]);
}

/** Characters of a path that can be in the prefix field. */
function prefixLength(path: string): number {
  let at = path.endsWith('/') ? path.length - 1 : path.length;
  at = Math.min(at, prefixBytes);
  do at -= 1;
  while (at > 0 && path[at] !== '/');
  return at;
}
