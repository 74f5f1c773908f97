// The native adapter keeps the contract of `GitBackend`.
import t from 'tap';
import { gitBackendContract } from '#test/contracts/git-backend';
import { makeNative } from './provider.ts';

await gitBackendContract(t, 'git-native', (root) => makeNative(root, { limits: { pooledBlobBytes: 1024 * 1024 } }));
