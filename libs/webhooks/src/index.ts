export { createAddressRule } from './addresses';
export {
  claimDeliveries,
  endAttempt,
  findReachedLimits,
  postTestEvent,
  purgeWebhookEvents,
  resendDelivery,
  type ClaimedDelivery,
  type EndedAttempt,
} from './delivery-queue';
export { findDelivery, listDeliveries, type Delivery } from './deliveries';
export {
  countDisabledOfOperators,
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  findEndpointOfAny,
  isAllowedUrl,
  listEndpoints,
  ownsEndpoint,
  rotateSecret,
  updateEndpoint,
  type EndpointUpdate,
  type NewEndpoint,
  type WebhookEndpoint,
} from './endpoints';
export { MOST_ATTEMPTS, pauseAfter } from './retries';
export { createWebhookSecrets, type WebhookSecrets } from './secrets';
export { sendWebhook, type AttemptResult, type WebhookTransport } from './send-webhook';
