// `npm run neighbours -- …`. Any Node can read this file, so that an old one gets a sentence instead of a syntax error.
import { requireNode } from './set-up/node-version.mjs';

requireNode();
import('./set-up/bundle-command.mjs').then(function (module) {
  return module.bundleCommand({
    build: ['benches', 'gateway', 'account', 'worker'],
    script: 'dist/benches/neighbours.js',
    args: process.argv.slice(2),
  });
});
