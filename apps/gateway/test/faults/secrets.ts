import { UPSTREAM_CANARIES } from '@farebox/simulated-upstream';
import { UPSTREAM_SECRET } from '../gateway-harness';

/** Expects that a text contains nothing of the upstream, and none of these. */
export function expectNoSecret(text: string, more: readonly string[] = []): void {
  const lower = text.toLowerCase();
  const found = [...UPSTREAM_CANARIES, UPSTREAM_SECRET, ...more].filter((secret) =>
    lower.includes(secret.toLowerCase()),
  );
  expect(found).toEqual([]);
}
