// An empty embedded database to start from, made once and kept.
export { layCluster } from '#host/sdk/testing/cluster';
