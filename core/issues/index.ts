// The public interface of the area "issues": types, pure rules, ports and events.
export * from './associations.ts';
export * from './comment.ts';
export * from './component.ts';
export type { DescriptionEdit, DescriptionEditView } from './description-edit.ts';
export * from './events.ts';
export * from './fields.ts';
export * from './filter.ts';
export * from './hierarchy.ts';
export * from './issue-type.ts';
export * from './issue.ts';
export * from './link.ts';
export { listRoom, textShare } from './listed.ts';
export { maxNamedDescription, maxNamedName, type Named } from './named.ts';
export * from './permissions.ts';
export * from './ports.ts';
export { plainWords, searchBounds, wantedOf } from './search.ts';
export type { TypeSchemeStore } from './type-scheme.ts';
export * from './version.ts';
