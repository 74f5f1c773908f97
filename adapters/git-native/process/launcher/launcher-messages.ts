// The IPC messages between the launcher and its helper process.

/**
 * The memory budget of a program: for computations and pushes of callers, for data sent to callers, or for the
 * maintenance of repositories, which is bounded only by the number of its processes.
 */
export type MemoryBudget = 'computations' | 'transfers' | 'upkeep';

/** Bytes that the programs of a budget may use together. A budget that is not named has no bound. */
export type MemoryBounds = Readonly<Partial<Record<MemoryBudget, number>>>;

export interface StartCommand {
  readonly id: number;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The caller key for which it runs; empty for the server's own work. */
  readonly owner: string;
  /** The memory budget that its memory counts towards. */
  readonly budget: MemoryBudget;
  /**
   * Whether it is a helper process that can be replaced. When memory is short, idle helper processes are ended first.
   */
  readonly kept: boolean;
  /** The niceness (nice(2)), 0 to 19; with a higher one it yields to other processes. */
  readonly niceness: number;
  /**
   * The numbers of the connections that become its standard input, its standard output and its descriptors from 3 on.
   */
  readonly connections: readonly number[];
}

export type Command = StartCommand | { readonly id: number; readonly signal: NodeJS.Signals };

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The beginning of its standard error. */
  readonly stderr: string;
  /** Whether it was ended because the programs of its memory budget used too much memory. */
  readonly starved?: boolean;
}

export type Notice =
  | { readonly id: number; readonly started: true }
  | { readonly id: number; readonly failed: string }
  | { readonly id: number; readonly ended: ProcessExit };

/** Connections kept ready for programs, and the maximum of one program. */
export const spareConnections = 8;

export const headerBytes = 4;

/** The first bytes of a connection: its number. */
export function connectionHeader(connection: number): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  bytes.writeUInt32BE(connection);
  return bytes;
}

export const readConnectionHeader = (bytes: Buffer): number => bytes.readUInt32BE();
