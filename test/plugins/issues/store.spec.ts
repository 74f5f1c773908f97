// The contract suites of the stores of issues on every engine.
import t from 'tap';
import { memoryAssociationStore } from '#plugins/issues/associations/store-memory';
import { sqlAssociationStore } from '#plugins/issues/associations/store';
import { commentRows } from '#plugins/issues/tables';
import { componentRows } from '#plugins/issues/tables';
import { memoryIssueStore } from '#plugins/issues/issues/store-memory';
import { sqlIssueStore } from '#plugins/issues/issues/store';
import { editRows } from '#plugins/issues/tables';
import { memoryLinkStore } from '#plugins/issues/links/store-memory';
import { sqlLinkStore } from '#plugins/issues/links/store';
import issues from '#plugins/issues/plugin';
import { entities } from '#plugins/issues/tables';
import { memoryIssueSearchStore } from '#plugins/issues/search/store-memory';
import { sqlIssueSearchStore } from '#plugins/issues/search/store';
import { memoryTypeSchemeStore } from '#plugins/issues/type-scheme/store-memory';
import { sqlTypeSchemeStore } from '#plugins/issues/type-scheme/store';
import { typeRows } from '#plugins/issues/tables';
import { versionRows } from '#plugins/issues/tables';
import { issueCatalogueChecks } from '../../contracts/stores/issue-catalogue.ts';
import { issueSearchChecks } from '../../contracts/stores/issue-search.ts';
import { issueStoreChecks, uuid } from '../../contracts/stores/issue-store.ts';
import { issueTalkChecks } from '../../contracts/stores/issue-talk.ts';
import { forgeStores } from '../forge-stores.ts';

const stores = forgeStores(issues, {
  entities,
  stores: {
    store: { sql: sqlIssueStore, memory: memoryIssueStore },
    searches: { sql: sqlIssueSearchStore, memory: memoryIssueSearchStore },
    types: typeRows,
    schemes: { sql: sqlTypeSchemeStore, memory: memoryTypeSchemeStore },
    components: componentRows,
    versions: versionRows,
    associations: { sql: sqlAssociationStore, memory: memoryAssociationStore },
    comments: commentRows,
    edits: editRows,
    links: { sql: sqlLinkStore, memory: memoryLinkStore },
  },
  onSql: { thorough: true },
});

void t.test('the contract suite of issues finds mutants', (t) =>
  stores.find(t, issueStoreChecks, {
    store: {
      'numbers with gaps': (store) => ({
        nextNumber: async (id) => (await store.nextNumber(id), store.nextNumber(id)),
      }),
      'a lost update': () => ({ update: async () => undefined }),
      'labels that stay': (store) => ({
        replaceLabels: async (id, labels) => (labels.length === 0 ? undefined : store.replaceLabels(id, labels)),
      }),
      'a wrong order': (store) => ({ list: async (...args) => (await store.list(...args)).toReversed() }),
      'an ignored filter': (store) => ({
        list: (id, { overdue: _, ...filter }, slice) => store.list(id, filter, slice),
      }),
      'open issues of others': (store) => ({ ofUser: async (_, limit) => store.ofUser(uuid(), limit) }),
      'a count of all': (store) => ({ count: (id) => store.count(id, {}) }),
      'ancestors from the top': (store) => ({
        lineage: async (...args) => {
          const found = await store.lineage(...args);
          return found && { ...found, ancestorIds: found.ancestorIds.toReversed() };
        },
      }),
      'a family without ancestors': (store) => ({
        family: async (...args) => (await store.family(...args)).filter(({ parentId }) => parentId !== null),
      }),
      'everything is a leaf': () => ({ height: async () => 1 }),
      'milestones of all repositories': (store) => ({
        countByMilestone: async (_, ids) => new Map(ids.map((id) => [id, { open: 3, closed: 1 }])),
        countOpen: store.countOpen,
      }),
      'a label that stays': () => ({ dropLabel: async () => undefined }),
      'a watcher who stays': () => ({ unwatch: async () => undefined }),
    },
  }),
);

void t.test('the contract suite of schemes and associations finds mutants', (t) =>
  stores.find(t, issueCatalogueChecks, {
    schemes: {
      'a scheme without order': ({ replace }) => ({ replace: (id, types) => replace(id, types.toSorted()) }),
      'a scheme that is never empty again': ({ replace }) => ({
        replace: async (id, ids) => (ids.length === 0 ? undefined : replace(id, ids)),
      }),
      'one scheme for all': ({ replace, typesOf }) => {
        let first = '';
        return {
          replace: (id, types) => replace((first ||= id), types),
          typesOf: (id) => typesOf(first || id),
        };
      },
    },
    associations: {
      'associations that stay': ({ replace }) => ({
        replace: async (id, which, ids) => (ids.length === 0 ? undefined : replace(id, which, ids)),
      }),
      'one kind of version': ({ replace }) => ({
        replace: (id, which, ids) => replace(id, which === 'affectsVersions' ? 'fixVersions' : which, ids),
      }),
      'associations of the first issue only': ({ of }) => ({ of: (ids) => of(ids.slice(0, 1)) }),
    },
  }),
);

void t.test('the contract suite of links finds mutants', (t) =>
  stores.find(t, issueTalkChecks, {
    links: {
      'links of the source only': (links) => ({
        of: async (id) => (await links.of(id)).filter(({ sourceId }) => sourceId === id),
      }),
      'a wrong order': (links) => ({ of: async (id) => (await links.of(id)).toReversed() }),
      'only direct links block': (links) => ({
        blocks: async (id, other) => (await links.of(id)).some(({ targetId }) => targetId === other),
      }),
      'every link blocks': (links) => {
        const blocks = async (id: string, other: string): Promise<boolean> => {
          const targets = (await links.of(id))
            .filter(({ sourceId }) => sourceId === id)
            .map(({ targetId }) => targetId);
          for (const target of targets) if (target === other || (await blocks(target, other))) return true;
          return false;
        };
        return { blocks };
      },
    },
  }),
);

void t.test('the contract suite of the search finds mutants', (t) =>
  stores.find(t, issueSearchChecks, {
    searches: {
      'the worst match first': ({ search }) => ({ search: async (...args) => (await search(...args)).toReversed() }),
      'no limit': ({ search }) => ({ search: (id, text) => search(id, text, 100) }),
      'only words are searched': ({ search }) => ({
        search: (id, { text }, limit) => search(id, { way: 'words', text }, limit),
      }),
      'one rank for all': ({ search }) => ({
        search: async (...args) => (await search(...args)).map((hit) => ({ ...hit, rank: 1 })),
      }),
      'no facets': () => ({ facets: async () => [] }),
      'facets twice': ({ facets }) => ({
        facets: async (...args) => (await facets(...args)).flatMap((one) => [one, one]),
      }),
    },
  }),
);

void t.test('stores of issues', (t) =>
  stores.hold(t, [...issueStoreChecks, ...issueCatalogueChecks, ...issueSearchChecks, ...issueTalkChecks]),
);
