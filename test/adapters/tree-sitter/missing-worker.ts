// A worker that ends before it has started.
process.exit(1);
