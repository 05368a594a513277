// `npm run revoke-test -- …`. Any Node can read this file, so that an old one gets a sentence instead of a syntax error.
import { requireNode } from './set-up/node-version.mjs';

requireNode();
import('./set-up/bundle-command.mjs').then(function (module) {
  return module.bundleCommand({
    build: ['gateway', 'account', 'admin', 'gateway-e2e'],
    script: 'dist/gateway-e2e/revoke-test.js',
    args: process.argv.slice(2),
  });
});
