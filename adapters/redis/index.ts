// The Redis adapter: the rate counter that several processes share.
export { connect, type Connection } from './connection.ts';
export { redisRateCounter } from './rate-counter.ts';
