// An empty embedded database to start from, made once and cached.
export { layCluster } from '#host/sdk/testing/cluster';
