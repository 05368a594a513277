// Every command of this checkout begins here: `npm start`, `npm test`, `npm run …`. Any Node can read this file, so that
// an old one gets a sentence instead of a syntax error.
// @ts-check
import { checkNode } from './node-version.mjs';

checkNode();
import('./run.mjs').then(function (module) {
  return module.runCommand(process.argv.slice(2));
});
