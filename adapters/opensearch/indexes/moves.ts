// Moves of files: decides what a list of moves does, also if an earlier write was interrupted while it did the same.
//
// A moved file is stored with the path that it came from, and with the number of writes of the source before. So a
// repeated write recognizes a move that is done already. After the write has ended, the number is different, and a move
// of a file that is no longer stored is an error.
import { Conflict } from '#core/kernel/errors';
import type { IndexChanges, IndexSource, MovedFile, SymbolDefinition } from '#core/search/index';
import { list, members, number, text, type Members } from '../client/answers.ts';
import { sendAll, type Destination } from './bulk.ts';
import { readMany } from './reading.ts';
import { entryId, fileOperation, textOf, type FileContent } from './stored.ts';

export interface MovePlan {
  /** Paths to remove before the moves. */
  readonly removed: ReadonlySet<string>;
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
  writes: number,
): Promise<MovePlan> {
  const paths = [...new Set([...removed, ...moved.flatMap((move) => [move.from, move.to])])];
  const ids = paths.map((path) => entryId(source, path));
  const found = await readMany(from, ids, ['bytes', 'moved_from', 'moved_after']);
  const stored = new Map(paths.flatMap((path, index) => [[path, found.get(ids[index] ?? '')] as const]));
  const present = new Set(paths.filter((path) => stored.get(path) !== undefined));

  const isDone = (move: MovedFile): boolean => {
    const target = stored.get(move.to);
    return target?.['moved_from'] === entryId(source, move.from) && target['moved_after'] === writes;
  };
  const done = new Set(moved.filter(isDone));
  const arrived = new Set([...done].map(({ to }) => to));
  const before = new Set(removed.filter((path) => !arrived.has(path)));
  for (const path of before) present.delete(path);

  const moves: MovedFile[] = [];
  for (const move of moved) {
    if (done.has(move)) {
      if (!arrived.has(move.from)) present.delete(move.from);
      continue;
    }
    if (!present.has(move.from)) throw new Conflict('A file to move is not stored', { detail: move.from });
    if (present.has(move.to)) throw new Conflict('A file is stored at the new path of another', { detail: move.to });
    present.delete(move.from);
    present.add(move.to);
    moves.push(move);
  }
  const bytes = new Map([...stored].flatMap(([path, file]) => (file === undefined ? [] : [[path, bytesOf(file)]])));
  return { removed: before, moves, left: new Set(moved.map((m) => m.from).filter((p) => !present.has(p))), bytes };
}

const bytesOf = (file: Members): number => (file['bytes'] === undefined ? 0 : number(file['bytes']));

/** Of the texts of one batch of moves. */
const most = { bytes: 2 * 1024 * 1024, files: 100 } as const;

/** Stores files at their new paths. The old paths stay. */
export async function moveAll(
  to: Destination,
  source: IndexSource,
  { moves, bytes }: MovePlan,
  writes: number,
): Promise<void> {
  for (const batch of batches(moves, bytes)) {
    const ids = batch.map((move) => entryId(source, move.from));
    const found = await readMany(to, ids, ['oid', 'grams', 'symbols']);
    const operations = batch.map((move, index) => {
      const file = found.get(ids[index] ?? '');
      if (file === undefined) throw new Conflict('A file to move is not stored', { detail: move.from });
      const target = { path: move.to, language: move.language };
      return fileOperation(source, target, contentOf(move.from, file), { from: move.from, after: writes });
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
