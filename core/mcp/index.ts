// Public exports of the mcp area: the switches, and what the endpoint and its adapter exchange.
export * from './errors.ts';
export * from './ports.ts';
export * from './settings.ts';
