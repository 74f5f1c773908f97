// Public exports of the settings area: text conversion, store, events and token scopes.
export * from './events.ts';
export * from './offers.ts';
export * from './ports.ts';
export * from './scopes.ts';
export * from './setting.ts';
