// `npm run operating`: writes the variables of docs/OPERATING.md from the schemas that the apps read them with.
// `-- --check` writes nothing and fails where the manual is out of date.
import { requireNode } from './set-up/node-version.mjs';

requireNode();
import('./operating-manual/command.mjs').then(function (module) {
  return module.operatingCommand(process.argv.slice(2));
});
