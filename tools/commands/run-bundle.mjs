// A bundle as a process of its own, from the code that V8 has kept: node run-bundle.mjs dist/gateway/main.js
// @ts-check
import { runBundle } from './bundle.mjs';

const [file = '', ...args] = process.argv.slice(2);
runBundle(file, args);
