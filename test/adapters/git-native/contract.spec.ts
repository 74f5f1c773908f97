// The native git adapter passes the contract suite of `GitBackend`.
import t, { type Test } from 'tap';
import { gitBackendContract } from '#test/contracts/git-backend';
import { makeNative } from './provider.ts';

await gitBackendContract<Test>(t, 'git-native', (root) =>
  makeNative(root, { limits: { pooledBlobBytes: 1024 * 1024 } }),
);
