// Says what Kubernetes' schemas find wrong with the manifests on standard input, a JSON array: one sentence each, as JSON.
// @ts-check
import { readFileSync } from 'node:fs';

const PACKAGES = {
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator',
  'gateway.networking.k8s.io/v1': '@kubernetes-models/gateway-api',
};

const problems = [];
for (const manifest of JSON.parse(readFileSync(0, 'utf8'))) {
  const { apiVersion, kind, metadata } = manifest;
  const { [kind]: Model } = await import(
    `${PACKAGES[apiVersion] ?? 'kubernetes-models'}/${apiVersion}/${kind}`
  );
  try {
    new Model(manifest).validate();
  } catch (error) {
    problems.push(`${kind} ${metadata.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
console.log(JSON.stringify(problems));
