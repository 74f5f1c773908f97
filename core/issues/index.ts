// The public interface of the area "issues": types, pure rules, ports and events.
export * from './model/associations.ts';
export * from './model/comment.ts';
export * from './model/component.ts';
export type { DescriptionEdit, DescriptionEditView } from './model/description-edit.ts';
export * from './model/events.ts';
export * from './model/fields.ts';
export * from './model/filter.ts';
export * from './model/hierarchy.ts';
export * from './model/issue-type.ts';
export * from './model/issue.ts';
export * from './model/link.ts';
export { listRoom, textShare } from './lists/listed.ts';
export { maxNamedDescription, maxNamedName, type Named } from './model/named.ts';
export * from './model/permissions.ts';
export * from './model/ports.ts';
export { plainWords, searchBounds, wantedOf } from './lists/search.ts';
export type { TypeSchemeStore } from './model/type-scheme.ts';
export * from './model/version.ts';
