// The face of the settings for everyone: their texts, their store, their events and scopes.
export * from './events.ts';
export * from './ports.ts';
export * from './scopes.ts';
export * from './setting.ts';
