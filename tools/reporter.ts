// Prints the test report: a paragraph per failure, then one line `N passed, N failed`, with `, N skipped` if any were
// skipped.
import { Transform, type TransformCallback } from 'node:stream';
import { Parser } from 'tap-parser';

const shown = [
  'at',
  'diff',
  'found',
  'wanted',
  'compare',
  'actual',
  'expected',
  'operator',
  'message',
  'error',
  'stack',
  'cause',
  'code',
  'signal',
  'exitCode',
  'stdout',
  'stderr',
  'source',
];

const indent = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');

/** The useful part of a failure's diagnosis: the place, and the difference if there is one. */
const diagnosis = (diag: Readonly<Record<string, unknown>>): string => {
  // node:assert uses `diff` for the kind of comparison; the values themselves are then shown instead.
  const compared = diag['diff'] !== undefined && diag['operator'] === undefined;
  const left = new Set(compared ? ['found', 'wanted', 'compare', 'source'] : ['diff']);
  const keys = shown.filter((key) => diag[key] !== undefined && !left.has(key));
  return keys
    .map((key) => {
      const value = diag[key];
      const parts = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
      if (key === 'at') return `  at ${String(parts['fileName'])}:${String(parts['lineNumber'])}`;
      if (key === 'cause' && typeof parts['stack'] === 'string') return `  cause:\n${indent(parts['stack'])}`;
      return `  ${key}:\n${indent(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}`;
    })
    .join('\n');
};

export default class Report extends Transform {
  #passed = 0;
  #failed = 0;
  #skipped = 0;
  readonly #parser = new Parser();
  readonly #complete: Promise<unknown>;

  constructor() {
    super();
    // The parser emits `result` for the leaves of every level; a suite that crashes counts as one failed leaf.
    this.#parser.on('result', (result) => {
      if (result.skip !== false || result.todo !== false) {
        this.#skipped++;
        const reason = result.skip !== false ? result.skip : result.todo;
        this.push(`SKIPPED ${result.fullname}${typeof reason === 'string' && reason !== '' ? `: ${reason}` : ''}\n`);
      } else if (result.ok) {
        this.#passed++;
      } else {
        this.#failed++;
        this.push(`\nFAILED ${result.fullname}\n`);
        if (result.diag) this.push(`${diagnosis(result.diag)}\n`);
      }
    });
    this.#parser.on('bailout', (reason) => {
      this.#failed++;
      this.push(`\nBAILED OUT ${reason}\n`);
    });
    this.#complete = new Promise((resolve) => this.#parser.once('complete', resolve));
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#parser.write(chunk.toString());
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#parser.end();
    void this.#complete.then(() => {
      if (this.#passed + this.#failed === 0) {
        this.#failed++;
        this.push('\nFAILED no test ran\n');
      }
      done(
        null,
        `${this.#passed} passed, ${this.#failed} failed${this.#skipped === 0 ? '' : `, ${this.#skipped} skipped`}\n`,
      );
    });
  }
}
