/*
 * Jest runs tests in a realm of its own, so an error of Node itself (a reset connection, an aborted signal) is no instance
 * of the `Error` that tests and sources see there. In the services it is one, and so it is in tests.
 */
const NodeError = Object.getPrototypeOf(DOMException.prototype).constructor;
const isInstance = Function.prototype[Symbol.hasInstance];

Object.defineProperty(Error, Symbol.hasInstance, {
  value(thrown) {
    return isInstance.call(this, thrown) || (this === Error && isInstance.call(NodeError, thrown));
  },
});
