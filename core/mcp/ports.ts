// The port of the adapter that speaks MCP, and the tools of one request that it serves.

/** The hints that clients show people before a tool is called. */
export interface ToolAnnotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** A tool as `tools/list` shows it. Schemas are JSON Schema 2020-12. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: ToolAnnotations;
}

/** The result of a call: data, or a sentence for the model about what went wrong and what to do. */
export type ToolResult = { readonly data: Readonly<Record<string, unknown>> } | { readonly failed: string };

/** The tools of one request, for its caller alone. */
export interface Serving {
  /** Said once to the model, before it calls anything. */
  readonly instructions: string;
  list(): Promise<readonly ListedTool[]>;
  /**
   * Calls a tool. Never throws.
   * @param args of any form.
   * @returns undefined if there is no tool of this name.
   */
  call(name: string, args: unknown): Promise<ToolResult | undefined>;
}

/** One message of a client. */
export interface McpMessage {
  /** Parsed JSON of any form. */
  readonly message: unknown;
  /** A header of the request by its lower-case name. */
  header(name: string): string | undefined;
  /** The URL of the endpoint. */
  readonly url: string;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The answer to one message. Notifications have no body. */
export interface McpAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Speaks MCP over HTTP: one message in, one answer out, and nothing is kept in between. */
export interface McpEndpoint {
  handle(message: McpMessage, serving: Serving): Promise<McpAnswer>;
}
