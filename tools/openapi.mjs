// `npm run openapi`: writes docs/openapi.json and the types of @farebox/client from the contracts. `-- --check` writes
// nothing and fails where one of them is out of date.
import { requireNode } from './set-up/node-version.mjs';

requireNode();
import('./openapi-document/command.mjs').then(function (module) {
  return module.openApiCommand(process.argv.slice(2));
});
