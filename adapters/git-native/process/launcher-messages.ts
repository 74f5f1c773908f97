// The IPC messages between the launcher and its helper process.
import { Buffer } from 'node:buffer';

/**
 * Whose memory a program shares: of what is computed or taken in for callers, of what is sent to them, or of the upkeep
 * of repositories, which nothing bounds but how many there are.
 */
export type MemoryBudget = 'computations' | 'transfers' | 'upkeep';

/** Bytes that the programs of a budget may hold together; one that is not named has no bound. */
export type MemoryBounds = Readonly<Partial<Record<MemoryBudget, number>>>;

export interface StartCommand {
  readonly id: number;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** On whose behalf it runs. */
  readonly owner: string;
  /** Where what it holds in memory counts. */
  readonly budget: MemoryBudget;
  /** Whether it waits for questions, and another takes its place: resting, it goes first where memory is short. */
  readonly kept: boolean;
  /** How far it gives way to others where the processors are busy (nice(2)): 0 to 19. */
  readonly niceness: number;
  /** Numbers of the connections that become its standard input, its standard output and its descriptors from 3 on. */
  readonly connections: readonly number[];
}

export type Command = StartCommand | { readonly id: number; readonly signal: NodeJS.Signals };

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The beginning of what it wrote to standard error. */
  readonly stderr: string;
  /** Whether it was ended because all programs together held too much memory. */
  readonly starved?: boolean;
}

export type Notice =
  | { readonly id: number; readonly started: true }
  | { readonly id: number; readonly failed: string }
  | { readonly id: number; readonly ended: ProcessExit };

/** Connections that wait for a program. No start may take more. */
export const spareConnections = 8;

export const headerBytes = 4;

/** What a connection begins with: its number. */
export function connectionHeader(connection: number): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  bytes.writeUInt32BE(connection);
  return bytes;
}

export const readConnectionHeader = (bytes: Buffer): number => bytes.readUInt32BE();
