// The public interface of the area "planning": labels and milestones, their rules, events and ports.
export * from './carriers.ts';
export * from './events.ts';
export * from './label.ts';
export * from './milestone.ts';
export * from './offers.ts';
import './permissions.ts';
