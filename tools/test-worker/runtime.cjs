const Runtime = require('jest-runtime').default;

/** What registers tests is loaded for its own file alone. */
const TEST_FILE = /\.(spec|terminal)\.tsx?$/;

/**
 * Loads each module once for all test files of a worker, but the test files themselves. So a module must not keep what
 * one test would leave to another: no state outside of functions and instances but caches and counters, no test hook at
 * its top. `jest.mock` would reach the next file, so it is refused; spies are restored after each file.
 */
module.exports = class KeptRuntime extends Runtime {
  /** That of the present test file. */
  static current;

  constructor(...args) {
    super(...args);
    KeptRuntime.current = this;
    for (const [file, module] of this.kept.modules) this.registries.moduleRegistry.set(file, module);
    for (const [file, map] of this.kept.sourceMaps) this.transformCache.getSourceMaps().set(file, map);
  }

  get kept() {
    return this._environment;
  }

  /** A kept module asks the runtime that loaded it, and is answered by the present one. */
  requireModuleOrMock(from, moduleName) {
    if (this !== KeptRuntime.current && !TEST_FILE.test(from)) {
      return KeptRuntime.current.requireModuleOrMock(from, moduleName);
    }
    return super.requireModuleOrMock(from, moduleName);
  }

  setMock(from, moduleName) {
    throw new Error(`${from} mocks ${moduleName}, which other test files share: give it a fake instead`);
  }

  teardown() {
    for (const [file, module] of this.registries.moduleRegistry) {
      if (module.loaded && !TEST_FILE.test(file)) this.kept.modules.set(file, module);
    }
    for (const [file, map] of this.getSourceMaps()) this.kept.sourceMaps.set(file, map);
    super.teardown();
  }
};
