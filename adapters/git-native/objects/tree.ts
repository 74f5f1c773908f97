// A tree object (mode, name, NUL and oid of each entry, in git's order), scanned in place: a folder may have half a
// million entries, of which only one or the first thousands are needed.
import { longest } from '#core/repositories/git/clipping';
import { mostEntries, type Oid } from '#core/repositories/git/git-objects';
import { TimeSlice } from '#adapters/git-common/waiting/time-slice';

export interface RawEntry {
  /** Six digits. */
  readonly mode: string;
  readonly oid: Oid;
}

export interface NamedEntry extends RawEntry {
  /** Bytes as latin1. */
  readonly name: string;
}

/** Bytes of all names in a listing. */
const mostNameBytes = 2 * 1024 ** 2;
const oidBytes = 20;
const slash = 0x2f;
/** Entries between two checks of the time slice. */
const stretch = 2000;

/** The offsets of an entry. */
interface Span {
  readonly start: number;
  readonly name: number;
  readonly nameEnd: number;
  readonly end: number;
}

export class Tree {
  readonly content: Buffer;

  constructor(content: Buffer) {
    this.content = content;
  }

  /**
   * Finds an entry by the bytes of its name, or else by its decoded name, in which U+FFFD replaces bytes that are not
   * UTF-8.
   */
  async find(name: string): Promise<RawEntry | undefined> {
    const bytes = Buffer.from(name, 'utf8');
    return (
      (await this.#where(({ name: from, nameEnd }) => this.#isNamed(bytes, from, nameEnd))) ??
      (name.includes('\uFFFD')
        ? await this.#where(({ name: from, nameEnd }) => this.content.toString('utf8', from, nameEnd) === name)
        : undefined)
    );
  }

  /**
   * The first entries, up to the limits of a listing. `truncated` if entries are left out, including those with a name
   * that is too long.
   */
  first(): { readonly entries: readonly NamedEntry[]; readonly truncated: boolean } {
    const entries: NamedEntry[] = [];
    let truncated = false;
    let bytes = 0;
    for (let span = this.#at(0); span !== undefined; span = this.#at(span.end)) {
      const length = span.nameEnd - span.name;
      const fits = length <= longest.path;
      if (fits) bytes += length;
      if (entries.length === mostEntries || bytes > mostNameBytes) return { entries, truncated: true };
      if (fits) entries.push({ ...this.#entry(span), name: this.content.toString('latin1', span.name, span.nameEnd) });
      else truncated = true;
    }
    return { entries, truncated };
  }

  /** The content of the tree with an entry set or removed. Other entries are unchanged. */
  with(name: string, entry: RawEntry | undefined): Buffer {
    const bytes = Buffer.from(name, 'utf8');
    const key = entry?.mode === '040000' ? Buffer.concat([bytes, Buffer.of(slash)]) : bytes;
    let [place, start, end] = [-1, -1, -1];
    for (let span = this.#at(0); span !== undefined; span = this.#at(span.end)) {
      if (this.#isNamed(bytes, span.name, span.nameEnd)) [start, end] = [span.start, span.end];
      else if (place < 0 && this.#sortsAfter(span, key)) place = span.start;
    }
    const set =
      entry === undefined
        ? Buffer.alloc(0)
        : Buffer.concat([
            Buffer.from(`${entry.mode.replace(/^0/, '')} `),
            bytes,
            Buffer.of(0),
            Buffer.from(entry.oid, 'hex'),
          ]);
    const { content } = this;
    const at = place < 0 ? content.length : place;
    if (start < 0) [start, end] = [at, at];
    return Buffer.concat([
      content.subarray(0, Math.min(at, start)),
      ...(at <= start ? [set, content.subarray(at, start)] : []),
      ...(at > start ? [content.subarray(end, at), set] : []),
      content.subarray(Math.max(at, end)),
    ]);
  }

  async #where(wanted: (span: Span) => boolean): Promise<RawEntry | undefined> {
    const slice = new TimeSlice();
    let passed = 0;
    for (let span = this.#at(0); span !== undefined; span = this.#at(span.end)) {
      if (wanted(span)) return this.#entry(span);
      passed += 1;
      if (passed % stretch === 0 && slice.over) await slice.rest();
    }
    return undefined;
  }

  /** The entry that begins at an offset; undefined at the end, and if the tree is corrupt. */
  #at(start: number): Span | undefined {
    const { content } = this;
    let at = start;
    while (at < content.length && content[at] !== 0x20) at += 1;
    const name = at + 1;
    at = name;
    while (at < content.length && content[at] !== 0) at += 1;
    const end = at + 1 + oidBytes;
    return end > content.length ? undefined : { start, name, nameEnd: at, end };
  }

  #entry({ start, name, nameEnd, end }: Span): RawEntry {
    return {
      mode: canonicalMode(this.content.toString('latin1', start, name - 1)),
      oid: this.content.toString('hex', nameEnd + 1, end),
    };
  }

  #isNamed(bytes: Buffer, from: number, end: number): boolean {
    return (
      end - from === bytes.length && this.content[from] === bytes[0] && bytes.compare(this.content, from, end) === 0
    );
  }

  /** git sorts by the bytes of the names, and appends a slash to the name of a folder. */
  #sortsAfter({ start, name, nameEnd }: Span, key: Buffer): boolean {
    const { content } = this;
    const isFolder = content[start] === 0x34 || (content[start] === 0x30 && content[start + 1] === 0x34);
    for (let at = 0; ; at += 1) {
      const own = name + at < nameEnd ? content[name + at] : isFolder && name + at === nameEnd ? slash : undefined;
      const other = key[at];
      if (own !== other || own === undefined) return (own ?? -1) > (other ?? -1);
    }
  }
}

/** Old histories contain modes such as 100664, which git maps to one of five. */
function canonicalMode(text: string): string {
  const mode = Number.parseInt(text, 8);
  switch (mode & 0o170000) {
    case 0o100000:
      return (mode & 0o100) === 0 ? '100644' : '100755';
    case 0o120000:
      return '120000';
    case 0o040000:
      return '040000';
    default:
      return '160000';
  }
}
