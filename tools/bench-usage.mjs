// `npm run bench:usage -- …`. Any Node can read this file, so that an old one gets a sentence instead of a syntax error.
import { requireNode } from './set-up/node-version.mjs';

requireNode();
import('./set-up/bundle-command.mjs').then(function (module) {
  return module.bundleCommand({
    build: ['benches', 'account'],
    script: 'dist/benches/usage.js',
    args: process.argv.slice(2),
  });
});
