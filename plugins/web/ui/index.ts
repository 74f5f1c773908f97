// `hexforge/ui`: the components of pages, for plugins. Each is a function that returns HTML.
export { avatar, person } from './avatar.ts';
export { button, linkButton } from './button.ts';
export { checkBox, field, formError, select, textArea, type Choice, type Field } from './field.ts';
export { disclosure, group, sidePart } from './disclosure.ts';
export { filterBar, filterChoice, searchField, urlWith } from './filter.ts';
export { icon, type IconName } from './icon.ts';
export { label, progress } from './label.ts';
export { empty, list, type Row } from './list.ts';
export { menu, menuLink, type MenuLink } from './menu.ts';
export { pagination } from './pagination.ts';
export { picks, type PickChoice } from './picks.ts';
export { pill, type Tone } from './pill.ts';
export { table } from './table.ts';
export { tabs, type Tab } from './tabs.ts';
export { relativeTime, time } from './time.ts';
export { change, comment, timeline, type Comment } from './timeline.ts';
