/** What each variable means, in the groups of the manual. Who reads it, its form and its default are in the schemas. */
export const VARIABLE_MEANINGS: Record<string, Record<string, string>> = {
  'Where things are': {
    DATABASE_URL:
      'PostgreSQL, with the login of this app: see [who may do what](ARCHITECTURE.md#who-may-do-what-in-the-database)',
    REDIS_URL:
      'Redis, for request windows and job queues. Without it both go on, in each process and in PostgreSQL',
    FAREBOX_HOST: 'address to listen on; `0.0.0.0` in the images',
    FAREBOX_GATEWAY_PORT: 'port of the gateway',
    FAREBOX_ACCOUNT_PORT: 'port of the account service',
    FAREBOX_PORT: 'port of the edge',
    FAREBOX_PUBLIC_URL:
      'where customers reach the service: the base of links, and whether the cookie is `Secure`',
    FAREBOX_TRUSTED_PROXIES:
      'proxies whose `X-Forwarded-For` says whose attempts to sign in are counted: the edge, and what stands in front of it',
    FAREBOX_EDGE_GATEWAY_URLS: 'the gateways, with commas: requests go to them in turn',
    FAREBOX_EDGE_ACCOUNT_URL: 'the account service',
    FAREBOX_EDGE_TRUSTED_PROXIES: 'proxies in front of the edge, whose `X-Forwarded-For` it passes on',
  },
  Secrets: {
    FAREBOX_KEY_PEPPERS:
      'go into the hash of every API key; the highest version is for new keys. Lost: no key works',
    FAREBOX_ANSWER_KEYS:
      'encrypt the answers that are kept 24 hours for Idempotency-Keys; the highest version encrypts. Lost: a repeated request fails',
    FAREBOX_BOARD_TOKEN: 'opens the board of the queues. Not set: no board',
    FAREBOX_STRIPE_SECRET_KEY: 'takes card payments ([billing](BILLING.md)). Not set: none are taken',
    FAREBOX_STRIPE_WEBHOOK_SECRET: 'proves that an event is of Stripe’s',
    FAREBOX_GATEWAY_DATABASE_URL:
      'the `DATABASE_URL` of the gateways: its login is made, as a member of `farebox_app`',
    FAREBOX_ACCOUNT_DATABASE_URL: 'the same of the account service, `farebox_account`',
    FAREBOX_WORKER_DATABASE_URL: 'the same of the worker, `farebox_worker`',
  },
  Limits: {
    FAREBOX_RATE_LIMIT_REQUESTS: 'requests of an API key in a window',
    FAREBOX_RATE_LIMIT_WINDOW: 'length of the window',
    FAREBOX_RATE_LIMIT_CONCURRENT: 'requests of an API key at once',
    FAREBOX_KEPT_BYTES_PER_ANSWER:
      'the longest answer that is kept for an Idempotency-Key, in bytes; a longer one is given and charged, and not kept',
    FAREBOX_KEPT_BYTES_PER_ACCOUNT:
      'how much is kept of the answers of an account in 24 hours, in bytes; further ones are given and charged, and not kept',
    FAREBOX_TOP_UP_MIN: 'least that is paid by card at once',
    FAREBOX_TOP_UP_MAX: 'most that is paid by card at once',
  },
  Times: {
    FAREBOX_LEASE:
      'how long the holds of a gateway that has died are safe from the sweep, and its requests count as running; the same for all gateways',
    FAREBOX_DRAIN_TIMEOUT:
      'how long a gateway that is stopped lets requests run; the process ends twelve seconds later at most',
    FAREBOX_EDGE_DRAIN_TIMEOUT: 'the same of the edge: not shorter than that of the gateways',
    FAREBOX_CLIENT_STALL_TIMEOUT: 'a client who takes nothing for so long is cut',
    FAREBOX_STREAM_HEARTBEAT: 'a silent stream shows so often that it is alive',
    FAREBOX_USAGE_RETENTION_MONTHS:
      'whole months of request records that are kept before the one under way, 0 for ever ([billing](BILLING.md#how-long-requests-are-kept))',
  },
  'What is done': {
    FAREBOX_FORGOTTEN_USAGE:
      'what becomes of request records after these months: `drop`, or `detach` for an archive ([partitions](#the-tables-that-grow))',
    FAREBOX_REVIEW_POLICY: 'who resolves charges that could not be recorded ([failed charges](REVIEWS.md))',
    FAREBOX_MAIL_URL: 'the mail server ([mails](MAILS.md)). Not set: no mail',
    FAREBOX_MAIL_FROM: 'sender of mails; required with a mail server',
    FAREBOX_SHOW_SIGN_IN_LINKS: 'development: links to sign in are written to the log',
    FAREBOX_CATALOG: 'the catalogue file of `catalog apply`, where none is named',
    FAREBOX_STRIPE_API_URL: 'in place of Stripe’s own: for tests',
  },
  'What is seen': {
    FAREBOX_LOG_LEVEL: 'lowest level that is logged: JSON lines on standard output',
    FAREBOX_METRICS_PORT:
      'port of `/metrics` ([observability](OBSERVABILITY.md)); 9464 in the images. Not set: none',
    FAREBOX_METRICS_HOST: 'address of `/metrics`',
    FAREBOX_BOARD_PORT: 'port of the board of the queues',
    FAREBOX_BOARD_HOST: 'address of the board of the queues',
    FAREBOX_CONTINUE_TRACES: 'a client’s `traceparent` names the trace of his request',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector of traces, the base of its paths. Not set: nothing is traced',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'the same, as a whole URL',
    OTEL_TRACES_SAMPLER: 'which requests are traced',
    OTEL_TRACES_SAMPLER_ARG: 'the part of them, for a sampler by ratio',
  },
};
