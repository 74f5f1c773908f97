#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 node --max-semi-space-size=8 --max-old-space-size=1024
// The command `hexforge`. It uses old JavaScript syntax, so that an older Node can run it and report its version.
var needed = 24;
if (Number(process.versions.node.split('.')[0]) < needed) {
  process.stderr.write(
    'hexforge: This is Node ' +
      process.versions.node +
      '; Hexforge needs Node ' +
      needed +
      ' or later. Install it from https://nodejs.org, or run Hexforge with npm start, which brings its own.\n',
  );
  process.exitCode = 78;
} else {
  Promise.all([import('node:module'), import('node:v8')])
    .then(function (modules) {
      var module = modules[0];
      var v8 = modules[1];
      // V8 may crash the process when it discards compiled WebAssembly (nodejs/node issue 64500). The embedded database
      // and the code that strips types are WebAssembly.
      v8.setFlagsFromString('--no-wasm-code-gc');
      // Halves the load time. The cache is not in the system's temporary folder, where other users could plant code. If
      // this folder cannot be written, nothing is cached.
      module.enableCompileCache(
        decodeURIComponent(new URL('../node_modules/.cache/hexforge', import.meta.url).pathname),
      );
      return import('#host/loading/quick-resolution');
    })
    .then(function (resolution) {
      resolution.useQuickResolution();
      return import('#host/cli/main');
    })
    .then(function (cli) {
      return cli.run();
    });
}
