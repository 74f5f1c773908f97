// The form in which tasks are sent to a thread.

export interface TaskRequest {
  readonly id: number;
  readonly task: string;
  readonly args: unknown;
  readonly repository: {
    readonly directory: string;
    readonly generation: number;
    /** A folder of objects that are not part of the repository yet. */
    readonly quarantine?: string;
  };
  /** One number, which is not 0 once the task is aborted. */
  readonly aborted: Int32Array;
  readonly deadlineMs: number;
}
