// The contract suites of the stores of merge requests, comments and reviews on every engine.
import t from 'tap';
import { commentRows } from '#plugins/merges/tables';
import merges from '#plugins/merges/plugin';
import { memoryMergeStore } from '#plugins/merges/requests/store-memory';
import { sqlMergeStore } from '#plugins/merges/requests/store';
import { reviewRows } from '#plugins/merges/tables';
import { entities } from '#plugins/merges/tables';
import { mergeStoreChecks } from '../../contracts/stores/merge-store.ts';
import { mergeTalkChecks } from '../../contracts/stores/merge-talk.ts';
import { forgeStores } from '../forge-stores.ts';

const stores = forgeStores(merges, {
  entities,
  stores: {
    store: { sql: sqlMergeStore, memory: memoryMergeStore },
    comments: commentRows,
    reviews: reviewRows,
  },
});

void t.test('the contract suite of merge requests finds mutants', (t) =>
  stores.find(t, mergeStoreChecks, {
    store: {
      'a number twice': () => ({ nextNumber: async () => 1 }),
      'the wrong order': ({ list }) => ({ list: async (...args) => (await list(...args)).toReversed() }),
      'every state': ({ list }) => ({ list: (id, _, slice) => list(id, {}, slice) }),
      'lists without a filter': ({ listWhole }) => ({ listWhole: (id, _, slice) => listWhole(id, {}, slice) }),
      'reviews of others': ({ openOfUser }) => ({ openOfUser: (id, _, limit) => openOfUser(id, 'author', limit) }),
      'the wrong pair': ({ openOf }) => ({ openOf: (pair) => openOf({ ...pair, targetBranch: 'main' }) }),
      'closed ones too': ({ list }) => ({
        openFrom: async ({ repositoryId }, _, limit) => list(repositoryId, {}, { order: 'oldest', limit, offset: 0 }),
      }),
      'no patch': () => ({ update: async () => undefined }),
      'labels that stay': () => ({ dropLabel: async () => undefined }),
      'authors are not counted': () => ({ countByUser: async () => new Map() }),
    },
  }),
);

void t.test('the contract suite of comments and reviews finds mutants', (t) =>
  stores.find(t, mergeTalkChecks, {
    comments: {
      'a lost change of a comment': () => ({ update: async () => undefined }),
      'an anchor that is forgotten': ({ insert }) => ({ insert: (row) => insert({ ...row, lineNumber: null }) }),
      'a comment that stays': () => ({ delete: async () => undefined }),
    },
    reviews: { 'a lost change of a review': () => ({ update: async () => undefined }) },
    store: { 'comments are not counted': () => ({ countByUser: async () => new Map() }) },
  }),
);

void t.test('stores of merge requests', (t) => stores.hold(t, [...mergeStoreChecks, ...mergeTalkChecks]));
