// `npm run admin -- …`. Any Node can read this file, so that an old one gets a sentence instead of a syntax error.
import { requireNode } from './set-up/node-version.mjs';

requireNode();
import('./set-up/admin-command.mjs').then(function (module) {
  return module.adminCommand(process.argv.slice(2));
});
