// The errors of MCP messages, which are answered as JSON-RPC. The errors of the gate before them are those of REST.
import { HexforgeError, MalformedJson } from '#core/kernel/errors';

/** Codes of JSON-RPC 2.0, section 5.1. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
} as const;

/** A message that is answered with an error of JSON-RPC. */
export class MessageRefused extends HexforgeError {
  readonly kind = 'validation_failed';
  readonly status: number;
  readonly rpc: Readonly<Record<string, unknown>>;

  /** @param rpc the whole JSON-RPC response. */
  constructor(status: number, rpc: Readonly<Record<string, unknown>>) {
    super('The message was refused');
    this.status = status;
    this.rpc = rpc;
  }
}

/** A JSON-RPC response with an error. The id is null if that of the request is not known. */
export const rpcError = (code: number, message: string, id: unknown = null): Readonly<Record<string, unknown>> => ({
  jsonrpc: '2.0',
  id: typeof id === 'string' || typeof id === 'number' ? id : null,
  error: { code, message },
});

/** The refusal of a body that is not one message. */
export const malformedMessage = (error: HexforgeError): MessageRefused =>
  new MessageRefused(
    400,
    rpcError(
      error instanceof MalformedJson ? rpcCodes.parse : rpcCodes.invalidRequest,
      [error.message, error.detail].filter((sentence) => sentence !== undefined).join('. '),
    ),
  );
