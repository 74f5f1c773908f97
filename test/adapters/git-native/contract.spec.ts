// The native git adapter passes the quick checks of the contract suite of `GitBackend`.
import t, { type Test } from 'tap';
import { gitBackendContract, quickGitBackendChecks } from '#test/contracts/git-backend';
import { makeNative } from './provider.ts';

await gitBackendContract<Test>(
  t,
  'git-native',
  (root) => makeNative(root, { limits: { pooledBlobBytes: 1024 * 1024 } }),
  quickGitBackendChecks,
);
