// Before anything else of a test process: no hooks of asynchronous resources.
//
// tap keeps one, to tell which test an error that nobody caught belongs to. It is called for each promise, and costs a
// suite a third of its time. Without it such an error still fails: the process that meets it ends, and says where.
import asyncHooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const none: asyncHooks.AsyncHook = { enable: () => none, disable: () => none };
asyncHooks.createHook = () => none;
syncBuiltinESMExports();
