// What a launcher and its helper say to each other.
import { Buffer } from 'node:buffer';

export interface StartOrder {
  readonly id: number;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Numbers of the connections that become its standard input, its standard output and its descriptors from 3 on. */
  readonly lines: readonly number[];
}

export type Order = StartOrder | { readonly id: number; readonly signal: NodeJS.Signals };

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The beginning of what it wrote to standard error. */
  readonly complaint: string;
}

export type Report =
  | { readonly id: number; readonly started: true }
  | { readonly id: number; readonly failed: string }
  | { readonly id: number; readonly ended: Ending };

/** Connections that wait for a program. No start may take more. */
export const spareLines = 8;

export const greetingBytes = 4;

/** What a connection begins with: its number. */
export function greeting(line: number): Buffer {
  const bytes = Buffer.alloc(greetingBytes);
  bytes.writeUInt32BE(line);
  return bytes;
}

export const readGreeting = (bytes: Buffer): number => bytes.readUInt32BE();
