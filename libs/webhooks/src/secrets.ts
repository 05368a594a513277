import { createHmac, hkdfSync } from 'node:crypto';

/** The secret of an endpoint: a rotation makes the next generation, from the key that is newest then. */
interface SecretName {
  endpointId: string;
  generation: number;
  keyVersion: number;
}

export interface WebhookSecrets {
  /** The key for new secrets. */
  currentVersion: number;
  /** `whsec_…`, for the owner of the endpoint. Throws if the key of its version is gone. */
  secretOf(name: SecretName): string;
  /** `v1,…` over the message. Throws like `secretOf`. */
  sign(name: SecretName, message: { id: string; timestamp: number; body: string }): string;
}

/** The specification asks for 24 to 64. */
const SECRET_BYTES = 32;

/**
 * Derives the secrets of endpoints from keys of the environment, so that a copy of the database has none. Throws
 * `RangeError` without a key. Source: https://github.com/standard-webhooks/standard-webhooks, symmetric signatures.
 */
export function createWebhookSecrets(keys: readonly { version: number; secret: Buffer }[]): WebhookSecrets {
  if (keys.length === 0) throw new RangeError('at least one key is needed');

  function derive({ endpointId, generation, keyVersion }: SecretName): Buffer {
    const key = keys.find(({ version }) => version === keyVersion);
    if (!key) throw new Error(`FAREBOX_WEBHOOK_KEYS has no version ${String(keyVersion)} any more`);
    const name = `farebox webhook ${endpointId} ${String(generation)}`;
    return Buffer.from(hkdfSync('sha256', key.secret, '', name, SECRET_BYTES));
  }

  return {
    currentVersion: Math.max(...keys.map(({ version }) => version)),
    secretOf: (name) => `whsec_${derive(name).toString('base64')}`,
    sign: (name, { id, timestamp, body }) => {
      const hmac = createHmac('sha256', derive(name)).update(`${id}.${String(timestamp)}.${body}`);
      return `v1,${hmac.digest('base64')}`;
    },
  };
}
