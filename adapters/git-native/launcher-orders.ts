// What a launcher and its helper say to each other.
import { Buffer } from 'node:buffer';

export interface StartOrder {
  readonly id: number;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Descriptors beyond standard input, output and error. */
  readonly pipes: number;
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

/** Goes before the bytes of every connection: which start, and which of its descriptors. */
export function greeting(id: number, descriptor: number): Buffer {
  const bytes = Buffer.alloc(greetingBytes);
  bytes.writeUInt32BE(id, 0);
  bytes.writeUInt8(descriptor, 4);
  return bytes;
}

export const greetingBytes = 5;

export function readGreeting(bytes: Buffer): { readonly id: number; readonly descriptor: number } {
  return { id: bytes.readUInt32BE(0), descriptor: bytes.readUInt8(4) };
}
