import {
  ConfigError,
  type Environment,
  type KeyPepper,
  loadConfig,
  toOwnedBy,
  type WebhookKey,
} from '@farebox/config';

// Each verb reads only what it needs, so that a check of the ledger requires no pepper. All throw `ConfigError`.

export function readKeyPeppers(environment: Environment): KeyPepper[] {
  return loadConfig('admin', environment, ['FAREBOX_KEY_PEPPERS']).values.FAREBOX_KEY_PEPPERS;
}

/** The origin that links lead to. */
export function readPublicUrl(environment: Environment): string {
  return loadConfig('admin', environment, ['FAREBOX_PUBLIC_URL']).values.FAREBOX_PUBLIC_URL;
}

/** The default owner of a model in the catalogue file. */
export function readOwnedBy(environment: Environment): string {
  return toOwnedBy(loadConfig('admin', environment, ['FAREBOX_OPERATOR_NAME']).values.FAREBOX_OPERATOR_NAME);
}

/** The catalogue file of `catalog apply` without one. */
export function readCatalogFile(environment: Environment): string {
  return loadConfig('admin', environment, ['FAREBOX_CATALOG']).values.FAREBOX_CATALOG;
}

/** The origin of the operator service. */
export function readOperatorUrl(environment: Environment): string {
  return loadConfig('admin', environment, ['FAREBOX_OPERATOR_URL']).values.FAREBOX_OPERATOR_URL;
}

/** For the secrets of webhooks, which need a key; and whether http on this machine is allowed. */
export function readWebhookSettings(environment: Environment): { keys: WebhookKey[]; allowsHttp: boolean } {
  const { values } = loadConfig('admin', environment, ['FAREBOX_WEBHOOK_KEYS', 'FAREBOX_WEBHOOK_HTTP']);
  const { FAREBOX_WEBHOOK_KEYS: keys, FAREBOX_WEBHOOK_HTTP: allowsHttp } = values;
  if (!keys) throw new ConfigError(['FAREBOX_WEBHOOK_KEYS is not set: without it there are no webhooks.']);
  return { keys, allowsHttp };
}
