// The tasks that worker threads run. Each file of tasks adds its own by declaration merging, so that this folder needs
// no other one.

/** By name: called with a context and the arguments of the task. */
export interface Tasks {}
