// The entries of a zip archive, with the modes of files as git-archive(1) writes them.
import { isUtf8 } from 'node:buffer';
import { crc32, deflateRawSync } from 'node:zlib';
import { Unprocessable } from '#core/kernel/errors';
import type { ArchivedFile } from './tar.ts';

const [mostEntries, mostBytes] = [0xfffe, 0xfffffffe];
/** Made on Unix. */
const madeBy = (3 << 8) | 23;
const utf8Flag = 0x0800;

export class Zip {
  readonly #date: number;
  readonly #time: number;
  readonly #central: Buffer[] = [];
  #offset = 0;

  /** @param time seconds since 1970. */
  constructor(time: number) {
    const date = new Date(Math.max(time, 315_532_800) * 1000);
    this.#date = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
    this.#time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  }

  entry({ path, mode, content }: ArchivedFile): Buffer {
    const name = Buffer.from(path, 'latin1');
    const isFile = mode.startsWith('100');
    const deflated = isFile && content.length > 0 ? deflateRawSync(content) : content;
    const method = isFile && deflated.length < content.length ? 8 : 0;
    const data = method === 8 ? deflated : content;
    const head = Buffer.alloc(26);
    head.writeUInt16LE(method === 8 ? 20 : 10, 0);
    head.writeUInt16LE(isUtf8(name) && name.some((byte) => byte >= 0x80) ? utf8Flag : 0, 2);
    head.writeUInt16LE(method, 4);
    head.writeUInt16LE(this.#time, 6);
    head.writeUInt16LE(this.#date, 8);
    head.writeUInt32LE(crc32(content), 10);
    head.writeUInt32LE(data.length, 14);
    head.writeUInt32LE(content.length, 18);
    head.writeUInt16LE(name.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(unixMode(mode), 6);
    tail.writeUInt32LE(this.#offset, 10);
    const version = Buffer.alloc(2);
    version.writeUInt16LE(madeBy, 0);
    this.#central.push(Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), version, head, tail, name]));
    const bytes = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), head, name, data]);
    this.#offset += bytes.length;
    if (this.#offset > mostBytes || this.#central.length > mostEntries)
      throw new Unprocessable('The archive is too large for the zip format; ask for tar.gz', {
        code: 'unsupported_by_git_wasm',
      });
    return bytes;
  }

  /** The directory of the archive, with the commit as its comment. */
  end(commit: string): Buffer {
    const directory = Buffer.concat(this.#central);
    const end = Buffer.alloc(22);
    end.write('PK\x05\x06', 'latin1');
    end.writeUInt16LE(this.#central.length, 8);
    end.writeUInt16LE(this.#central.length, 10);
    end.writeUInt32LE(directory.length, 12);
    end.writeUInt32LE(this.#offset, 16);
    end.writeUInt16LE(commit.length, 20);
    return Buffer.concat([directory, end, Buffer.from(commit)]);
  }
}

/** In the upper half of the external attributes; folders have the attribute of a directory too. */
function unixMode(mode: string): number {
  if (mode === '120000') return (0o120777 * 0x10000) >>> 0;
  if (!mode.startsWith('100')) return ((0o040755 * 0x10000) | 0x10) >>> 0;
  return ((mode === '100755' ? 0o100755 : 0o100644) * 0x10000) >>> 0;
}
