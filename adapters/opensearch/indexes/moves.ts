// Moves of files: checks a list of moves, and stores the files at their new paths.
import { Conflict } from '#core/kernel/errors';
import type { IndexChanges, IndexSource, MovedFile, SymbolDefinition } from '#core/search/index';
import { list, members, number, text, type Members } from '../client/answers.ts';
import { sendAll, type Destination, type Writing } from './bulk.ts';
import { readMany } from './reading.ts';
import { entryId, fileOperation, textOf, type FileContent } from './stored.ts';

export interface MovePlan {
  /** In this order. */
  readonly moves: readonly MovedFile[];
  /** Paths to remove after the moves. */
  readonly left: ReadonlySet<string>;
  /** Bytes of the texts of stored files, by path. */
  readonly bytes: ReadonlyMap<string, number>;
}

/** @throws {Conflict} if a file to move is not stored, or the new path is. */
export async function planMoves(
  from: Destination,
  source: IndexSource,
  { removed = [], moved = [] }: IndexChanges,
): Promise<MovePlan> {
  const paths = [...new Set(moved.flatMap((move) => [move.from, move.to]))];
  const ids = paths.map((path) => entryId(source, path));
  const found = await readMany(from, ids, ['bytes']);
  const bytes = new Map<string, number>();
  for (const [index, path] of paths.entries()) {
    const file = found.get(ids[index] ?? '');
    if (file !== undefined) bytes.set(path, number(file['bytes']));
  }
  const present = new Set(bytes.keys());
  for (const path of removed) present.delete(path);
  for (const move of moved) {
    if (!present.delete(move.from)) throw new Conflict('A file to move is not stored', { detail: move.from });
    if (present.has(move.to)) throw new Conflict('A file is stored at the new path of another', { detail: move.to });
    present.add(move.to);
  }
  return { moves: moved, left: new Set(moved.map((move) => move.from).filter((path) => !present.has(path))), bytes };
}

/** Of the texts of one batch of moves. */
const most = { bytes: 2 * 1024 * 1024, files: 100 } as const;

/** Stores files at their new paths. The old paths stay. */
export async function moveAll(to: Writing, source: IndexSource, { moves, bytes }: MovePlan): Promise<void> {
  for (const batch of batches(moves, bytes)) {
    const ids = batch.map((move) => entryId(source, move.from));
    const found = await readMany(to, ids, ['oid', 'grams', 'symbols']);
    const operations = batch.map((move, index) => {
      const file = found.get(ids[index] ?? '');
      if (file === undefined) throw new Conflict('A file to move is not stored', { detail: move.from });
      const target = { path: move.to, language: move.language };
      return fileOperation(source, target, contentOf(move.from, file));
    });
    await sendAll(to, operations);
  }
}

/** A batch has no path twice, so that each move reads what the one before it has stored. */
function* batches(moves: readonly MovedFile[], bytes: ReadonlyMap<string, number>): Generator<readonly MovedFile[]> {
  let batch: MovedFile[] = [];
  let paths = new Set<string>();
  let total = 0;
  for (const move of moves) {
    const length = bytes.get(move.from) ?? most.bytes;
    const isFull = batch.length === most.files || total + length > most.bytes;
    if (batch.length > 0 && (isFull || paths.has(move.from) || paths.has(move.to))) {
      yield batch;
      [batch, paths, total] = [[], new Set(), 0];
    }
    batch.push(move);
    paths.add(move.from).add(move.to);
    total += length;
  }
  if (batch.length > 0) yield batch;
}

function contentOf(path: string, file: Members): FileContent {
  return {
    oid: text(file['oid']),
    text: textOf(path, text(file['grams'])),
    symbols: symbolsIn(file),
  };
}

/** The definitions of a stored file. */
export function symbolsIn(file: Members): SymbolDefinition[] {
  return list(file['symbols'] ?? []).map((value) => {
    const symbol = members(value);
    return {
      name: text(symbol['name']),
      kind: text(symbol['kind']) as SymbolDefinition['kind'],
      line: number(symbol['line']),
      signature: text(symbol['signature']),
    };
  });
}
