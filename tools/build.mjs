// `npm run build -- <projects>`: bundles them into dist/, as the images do.
import { requireNode } from './set-up/node-version.mjs';

requireNode();
import('./set-up/build-command.mjs').then(function (module) {
  return module.buildCommand(process.argv.slice(2));
});
