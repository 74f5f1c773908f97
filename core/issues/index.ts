// The public interface of the area "issues": types, pure rules, ports and events.
export * from './model/associations.ts';
export * from './model/comment.ts';
export type { DescriptionEdit, DescriptionEditView } from './model/description-edit.ts';
export * from './model/events.ts';
export * from './model/fields.ts';
export * from './model/filter.ts';
export * from './model/hierarchy.ts';
export * from './model/issue-type.ts';
export * from './model/issue.ts';
export * from './model/link.ts';
export { listRoom, textShare } from './lists/listed.ts';
export {
  componentName,
  maxNamedDescription,
  maxNamedName,
  versionName,
  type Component,
  type Named,
  type Version,
  type VersionMembers,
} from './model/named.ts';
export * from './model/offers.ts';
export * from './model/permissions.ts';
export * from './model/ports.ts';
export { plainWords, searchBounds, searchedWords, wantedOf } from './lists/search.ts';
