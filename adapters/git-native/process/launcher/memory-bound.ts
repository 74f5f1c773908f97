// Measures the memory that programs and their child processes use together, and chooses what is ended past a bound:
// idle helper processes first, then the largest program of the caller that uses the most. Without /proc there is no
// bound.
import { readFileSync } from 'node:fs';

export interface Program {
  readonly pid: number;
  readonly owner: string;
}

/** Finds the programs that have been idle since the previous check. */
export class Resting {
  #before = new Map<number, string>();

  /** The idle ones of these programs. A program that is seen for the first time is not idle. */
  among<P extends Program>(programs: readonly P[]): readonly P[] {
    const now = new Map(programs.map(({ pid }) => [pid, timeOf(pid)]));
    const resting = programs.filter(({ pid }) => {
      const time = now.get(pid);
      return time !== undefined && time !== '' && time === this.#before.get(pid);
    });
    this.#before = now;
    return resting;
  }
}

/** The nanoseconds that a program has run and waited to run; '' if unknown. */
function timeOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/schedstat`, 'latin1');
  } catch {
    return '';
  }
}

const pageBytes = 4096;
/** More levels of processes than git starts: receive-pack, unpack-objects, a hook and its shell. */
const deepest = 6;

/**
 * proc_pid_statm(5): resident memory that is neither of a file nor shared. Packs are mapped files, which the kernel may
 * drop.
 */
function ownBytes(pid: string): number {
  const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ').map(Number);
  return Math.max(0, resident - shared) * pageBytes;
}

function heldBy(pid: string, depth = 0): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ');
    return children.reduce(
      (sum, child) => sum + (child === '' || depth > deepest ? 0 : heldBy(child, depth + 1)),
      ownBytes(pid),
    );
  } catch {
    // The process has ended.
    return 0;
  }
}

export interface Held<P> {
  /** Of all programs together. */
  readonly bytes: number;
  /** The program to be ended; undefined if the bound is not exceeded. */
  readonly greediest: P | undefined;
}

/** The memory of programs that may use `most` bytes together. */
export function memoryOf<P extends Program>(
  programs: Iterable<P>,
  most: number,
  held: (pid: number) => number = (pid) => heldBy(String(pid)),
): Held<P> {
  const known = [...programs].map((program) => ({ program, bytes: held(program.pid) }));
  const sum = known.reduce((total, { bytes }) => total + bytes, 0);
  if (sum <= most) return { bytes: sum, greediest: undefined };
  const owners = new Map<string, number>();
  for (const { program, bytes } of known) owners.set(program.owner, (owners.get(program.owner) ?? 0) + bytes);
  const [owner] = [...owners].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  const [first] = known
    .filter(({ program }) => program.owner === owner)
    .toSorted((one, other) => other.bytes - one.bytes);
  return { bytes: sum, greediest: first?.program };
}
