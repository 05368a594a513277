// `npm start`. Any Node can read this file, so that an old one gets a sentence instead of a syntax error.
import { requireNode } from './set-up/node-version.mjs';

requireNode();
import('./set-up/start-command.mjs').then(function (module) {
  return module.startCommand(process.argv.slice(2));
});
