// The embedded database's program, compiled once and kept: V8 gives every thread of this process what is compiled
// already, instead of a second of a processor each.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const program = join(import.meta.dirname, '../../node_modules/@electric-sql/pglite/dist/pglite.wasm');
let kept: Promise<WebAssembly.Module> | undefined;

export async function keepCompiled(): Promise<void> {
  kept ??= readFile(program).then((bytes) => WebAssembly.compile(bytes));
  await kept;
}
