// The logger interface.

/** Log lines carry facts, never secrets. Members go into the JSON line beside the message. */
export interface Log {
  debug(members: object, message: string): void;
  info(members: object, message: string): void;
  warn(members: object, message: string): void;
  error(members: object, message: string): void;
}
