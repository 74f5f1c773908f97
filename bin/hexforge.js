#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 node --max-semi-space-size=8 --max-old-space-size=1024
// The command `hexforge`: plain old JavaScript, so that an older Node can say what is wrong before it meets newer
// syntax.
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
      // Throwing compiled WebAssembly away, V8 may crash the process (nodejs/node issue 64500). The embedded database
      // is WebAssembly, and so is what strips types.
      v8.setFlagsFromString('--no-wasm-code-gc');
      // Halves the time of loading. Not in the system's temporary folder, where others could put code of theirs; where
      // this one cannot be written, nothing is cached.
      module.enableCompileCache(
        decodeURIComponent(new URL('../node_modules/.cache/hexforge', import.meta.url).pathname),
      );
      return import('#host/quick-resolution');
    })
    .then(function (resolution) {
      resolution.useQuickResolution();
      return import('#host/cli/main');
    })
    .then(function (cli) {
      return cli.run();
    });
}
