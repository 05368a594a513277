/** The version of the code that runs. A test holds it and package.json together. */
export const FAREBOX_VERSION = '0.1.0';
