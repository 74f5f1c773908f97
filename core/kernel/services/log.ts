// The logger interface.

/** Log lines must not contain secrets. `members` become members of the JSON line, next to the message. */
export interface Log {
  debug(members: object, message: string): void;
  info(members: object, message: string): void;
  warn(members: object, message: string): void;
  error(members: object, message: string): void;
}
