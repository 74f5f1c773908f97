// Disables async hooks in a test process. It is loaded before anything else.
//
// tap installs a hook that assigns uncaught errors to tests. Node calls it for each promise, which costs a suite up to
// a quarter of its time. Without it an uncaught error still fails: it ends the process, with its stack trace.
import asyncHooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const none: asyncHooks.AsyncHook = { enable: () => none, disable: () => none };
asyncHooks.createHook = () => none;
syncBuiltinESMExports();
