// Generated from docs/use/openapi.json by `npm run openapi`. Do not edit: change the contracts, and run it again.

export interface paths {
  '/v1/models': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the models
     * @description Exactly those for which a request with this key would be admitted, with their prices and limits.
     */
    get: operations['listModels'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/models/{model}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a model
     * @description One of those for which a request with this key would be admitted. A `/` in its id is written `%2F`.
     */
    get: operations['getModel'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/chat/completions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a chat completion
     * @description Request and response are those of OpenAI's chat-completions API. A field that is not known is left out and named in the header `X-Ignored-Fields`, unless the operator lets it through for the model. `audio`, `prediction`, `web_search_options` and `functions` are not served, and refused.
     *
     *     Before anything runs, the maximum cost is held: the upper bound of the prompt at the input price, plus the most output tokens times `n` at the output price. A lower `max_tokens` lowers it. Charged is what was delivered, never more than was held; `usage.cost` says it.
     *
     *     With `stream: true` the answer is a stream of server-sent events, which `data: [DONE]` ends. A stream without it has failed: its last event is `{"object":"error","error":{…}}`, and the connection is cut. A comment keeps a silent stream alive.
     *
     *     Where several things are wrong, the first of these is the answer: credential, access, size of the body, body, model, request limit, `Idempotency-Key`, caps of the account, limit of the key, balance.
     */
    post: operations['createChatCompletion'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/messages': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a message
     * @description Request and response are those of Anthropic's messages API, for every model. What is said of chat completions holds here too: the hold, the charge, `Idempotency-Key`, and the order of refusals.
     *
     *     A field that is not known is left out and named in the header `X-Ignored-Fields`; so are tools and blocks of machines that are not the client's (`web_search_20250305`). `top_k` goes to the model if the operator lets it through. `thinking` with a budget asks for effort: from 16,384 tokens on `high`, from 4,096 on `medium`, else `low`. Files by id or address are refused.
     *
     *     `usage.input_tokens` are those that were neither read from a cache nor written into one; `usage.cost` says what was charged. A stream says both in `message_delta`, and `message_start` has zeros. `ping` keeps a silent stream alive. A stream that ends without `message_stop` has failed: its last event is `error`.
     *
     *     Errors have Anthropic's envelope; `code` and `param` in it are the service's own.
     */
    post: operations['createMessage'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/messages/count_tokens': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Count the tokens of a message
     * @description How many tokens the prompt of a message has: an estimate by the model's tokenizer, or, if the operator names none for the model, the bound that a request would be held for. Free of charge, and one of the key's requests.
     */
    post: operations['countMessageTokens'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/responses': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a response
     * @description Request and response are those of OpenAI's Responses API, without its memory of conversations. `store: true` is answered with `store: false`; `previous_response_id`, `conversation`, `prompt` and `background: true` are refused. Send the items of the conversation in `input`. An `item_reference` may name one that the same key was given within 24 hours, unless that request had `store: false` or an `Idempotency-Key`.
     *
     *     Tools of the types `function` and `custom` are served, also those of a `namespace`, and those that the client itself runs: `local_shell`, `shell` (unless in a container), `apply_patch`, and `tool_search` with `execution: client`. Others are run by OpenAI itself: they are left out, and named in the header `X-Ignored-Fields`, as is every field that is not known.
     *
     *     It is held, charged and repeated as a chat completion is; `usage.cost` says what was charged.
     *
     *     With `stream: true` the response is a stream of numbered server-sent events, which `data: [DONE]` ends. A stream without it has failed: its last events are `error` and `response.failed`, and the connection is cut.
     */
    post: operations['createResponse'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/responses/compact': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a conversation shorter
     * @description The model writes a summary of the conversation in `input`. The response has one item of the type `compaction`, to be sent back in place of what it stands for. Nothing is stored: the item has the summary.
     *
     *     It is held and charged as a response is. An `input` of `POST /v1/responses` that ends in an item of the type `compaction_trigger` asks for the same.
     */
    post: operations['compactResponse'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/embeddings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create embeddings
     * @description Request and response are those of OpenAI's embeddings API, for models whose `kind` is `embeddings`: a text, up to 2,048 texts, or the same as tokens. A field that is not known is left out and named in the header `X-Ignored-Fields`.
     *
     *     Before anything runs, the upper bound of the tokens of all inputs is held at the input price. Charged is what the inputs took, never more than was held; `usage.cost` says it. If the embeddings are not given, nothing is charged.
     *
     *     If several things are wrong, the order is that of a chat completion.
     */
    post: operations['createEmbeddings'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/quotes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Ask what a request would cost
     * @description The body is a request, as it would be sent. It does not run, and nothing is held or charged. The answer says what it can cost at most, what it would cost with a given length of output, and whether balance or limits leave room for it now, by the rules of the admission. A moment later it may be otherwise. It counts for the request limit, as any request does. `wire` says of which endpoint the body is; the document shows that of chat completions.
     */
    post: operations['createQuote'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the account
     * @description Name and e-mail, the daily caps, what is left of them today, and the request limits of each API key.
     */
    get: operations['getAccount'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change the account
     * @description What is left out stays as it is. Below `low_balance_threshold` the owner is mailed once; `null` turns that mail off. Without a `language`, the console and the mails use that of the browser.
     */
    patch: operations['updateAccount'];
    trace?: never;
  };
  '/v1/account/limits': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the limits of the account
     * @description The limits of requests, tokens, concurrency and spending that the operator has set for the account and its API keys, and what is left of them. A request must have room in all that apply to it.
     */
    get: operations['listAccountLimits'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/models': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the models that the account may use
     * @description With their prices and limits. `GET /v1/models` lists those that one API key may use.
     */
    get: operations['listAccountModels'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/account/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List what was done to the account
     * @description Sign-ins, what was done to API keys, devices and sessions, and changes of the account: when, by whom and from where, newest first. The operator says how long that is kept.
     */
    get: operations['listAccountEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/api-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the API keys
     * @description Revoked and expired ones too, unless `status` says otherwise. Not the playground's, unless `include` says so.
     */
    get: operations['listApiKeys'];
    put?: never;
    /**
     * Create an API key
     * @description Only this response has the full key: the service stores nothing but a hash of it.
     */
    post: operations['createApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/api-keys/{key_public_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get an API key */
    get: operations['getApiKey'];
    put?: never;
    post?: never;
    /**
     * Revoke an API key
     * @description The next request with the key is refused. Revoking it again changes nothing and gets the same response.
     */
    delete: operations['revokeApiKey'];
    options?: never;
    head?: never;
    /**
     * Change an API key
     * @description What is left out stays as it is; `null` removes a setting. The change applies from the next request on.
     */
    patch: operations['updateApiKey'];
    trace?: never;
  };
  '/v1/api-keys/{key_public_id}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rotate an API key
     * @description Replaces the secret and keeps the id. The old secret stops working at once. Without `expires_at` an unexpired key keeps its expiry, and an expired one gets its former lifetime again.
     */
    post: operations['rotateApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/playground-key': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Obtain the playground's key
     * @description The account has one, which no list shows and nobody can change. Each call replaces its secret, for a day; it ends earlier with the end of any session of the account.
     */
    post: operations['obtainPlaygroundKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/usage': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the requests
     * @description Those that were charged, or with `outcome` others too. Refused and failed requests cost nothing; they are kept for some weeks, and not every one of very many at once. Newest first. With `outcome`, a page may have fewer than `limit` while `has_more` is true: go on after `last_id`. As CSV without `limit` it is whole: everything in the range, at most 100,000 lines. If there may be more, it is an error. With `limit`, the next page is in the header `Link`.
     */
    get: operations['listUsage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/usage/summary': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get totals, and a series by the hour or the day
     * @description Without a range: the last 30 days. Hours and days without usage are there, with zeros.
     */
    get: operations['summarizeUsage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/usage/by-model': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get totals of each model */
    get: operations['listUsageByModel'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/usage/by-api-key': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get totals of each API key
     * @description Of revoked keys too. As CSV, all of them.
     */
    get: operations['listUsageByApiKey'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/usage/{usage_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a request
     * @description Charged or not.
     */
    get: operations['getUsage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/requests/{request_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the receipt of a request
     * @description What has become of a request: what is held for it, what each kind of token cost, or why it cost nothing. A session finds every request of its account, an API key those that were made with it. The id is the response's `X-Service-Request-Id`, or that of the completion. An id that the client gave in `X-Request-Id` finds the newest of the last 10,000 requests that has it. A request that cost nothing may be found a moment after its response.
     */
    get: operations['getRequest'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/balance': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get the balance */
    get: operations['getBalance'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/transactions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the account's transactions
     * @description The entries of its ledger, each with the balance after it. A charge and its refund name the request. As CSV without `limit` it is whole: everything in the range, at most 100,000 lines. If there may be more, it is an error.
     */
    get: operations['listTransactions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/ledger/roots': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the ledger's roots
     * @description One for each day that is over, newest first, for everybody. A root covers every entry of its day, and through `previous` all days before: who keeps a root, or a proof, can find out whether anything was changed later.
     */
    get: operations['listLedgerRoots'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/transactions/{transaction_id}/proof': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the proof of a transaction
     * @description That the transaction is in the ledger as it stands here, by the root of its day. `npx @farebox/client check-proof` and the console's page `/verify` check it without the service.
     */
    get: operations['getTransactionProof'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/invoices': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the invoices
     * @description One for each month with usage, newest first.
     */
    get: operations['listInvoices'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/invoices/{number}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get an invoice
     * @description It never changes. `format`, or `Accept`, chooses between JSON, a page to print and a PDF.
     */
    get: operations['getInvoice'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/receipts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the receipts
     * @description One for each top-up, newest first.
     */
    get: operations['listPaymentReceipts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/receipts/{receipt_number}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a receipt
     * @description It never changes. `format`, or `Accept`, chooses between JSON, a page to print and a PDF.
     */
    get: operations['getPaymentReceipt'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/credit-notes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the credit notes
     * @description Newest first.
     */
    get: operations['listCreditNotes'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/credit-notes/{credit_note_number}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a credit note
     * @description Of charges of an invoice that were given back after it was issued, or of a payment by card that was taken back. It never changes. `format`, or `Accept`, chooses between JSON, a page to print and a PDF.
     */
    get: operations['getCreditNote'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/statements': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the monthly statements
     * @description One for each UTC calendar month since the first transaction, newest first. `after` is a month.
     */
    get: operations['listStatements'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/statements/{month}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the statement of a month
     * @description The balance at its beginning, what changed it, and the balance at its end: the sums of its transactions.
     */
    get: operations['getStatement'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/funding': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the top-ups, and the ways to add funds */
    get: operations['listFunding'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/funding/checkouts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Begin a payment by card
     * @description The customer pays on the page of `url`. The balance grows when the payment has arrived, not before.
     */
    post: operations['createCheckout'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/funding/checkouts/{checkout_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the state of a payment by card
     * @description The page of the payment provider leads back to the console with this id.
     */
    get: operations['getCheckout'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhooks/stripe': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Report a payment
     * @description Called by Stripe alone, which signs the bytes of the body. A delivery that comes again is credited once.
     */
    post: operations['receiveStripeEvent'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/details': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the billing details
     * @description The details of the account on invoices, receipts and credit notes, beside its name and e-mail address.
     */
    get: operations['getBillingDetails'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change the billing details
     * @description What is left out stays as it is; `null` removes it. They are on documents that are made from then on: one that exists never changes.
     */
    patch: operations['updateBillingDetails'];
    trace?: never;
  };
  '/v1/billing/automatic-top-up': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get the automatic top-up and the saved card */
    get: operations['getAutomaticTopUp'];
    put?: never;
    /**
     * Switch automatic top-up on, or change it
     * @description When less than `threshold` is available, the saved card is charged `amount`, at most `monthly_ceiling` in a UTC month.
     */
    post: operations['enableAutomaticTopUp'];
    /**
     * Switch automatic top-up off
     * @description A payment that is under way may still arrive. Its settings and the card are kept.
     */
    delete: operations['disableAutomaticTopUp'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/card': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Begin to save a card
     * @description The customer enters it on the page of `url`. It replaces the card that is saved, a few seconds later, and costs nothing.
     */
    post: operations['createCardSetup'];
    /**
     * Remove the saved card
     * @description Automatic top-up ends with it, and the payment provider forgets the card.
     */
    delete: operations['removeCard'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/billing/vouchers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Redeem a voucher
     * @description Its amount is on the balance when this returns. A code is worth its amount once: the account that has redeemed it gets the same response again.
     */
    post: operations['redeemVoucher'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/devices': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the devices
     * @description Revoked ones too.
     */
    get: operations['listDevices'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/devices/{device_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get a device */
    get: operations['getDevice'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/devices/register': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Register a device
     * @description A device is a machine of the account. It has no session yet.
     */
    post: operations['registerDevice'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/devices/{device_id}/session': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Give a device a session
     * @description Only this response has the token. The new session replaces the one that the device had.
     */
    post: operations['startDeviceSession'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/devices/heartbeat': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Say that a device is alive
     * @description Called with the session of the device; sets `last_seen_at`.
     */
    post: operations['sendDeviceHeartbeat'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/devices/{device_id}/rename': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Rename a device */
    post: operations['renameDevice'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/devices/{device_id}/revoke': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Revoke a device
     * @description Ends the device and its session at once. Revoking it again changes nothing and gets the same response.
     */
    post: operations['revokeDevice'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the webhooks */
    get: operations['listWebhooks'];
    put?: never;
    /**
     * Create a webhook
     * @description Only this response, and that of a rotation, has the secret. An account can have 10 webhooks. Events and signatures: see the documentation of webhooks.
     */
    post: operations['createWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhook_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get a webhook */
    get: operations['getWebhook'];
    put?: never;
    post?: never;
    /**
     * Delete a webhook
     * @description With its deliveries, also those that wait.
     */
    delete: operations['deleteWebhook'];
    options?: never;
    head?: never;
    /**
     * Change a webhook
     * @description What is left out stays as it is. Events that wait are sent to the URL that it has then. `"enabled": true` also switches on a webhook that was disabled because of failures.
     */
    patch: operations['updateWebhook'];
    trace?: never;
  };
  '/v1/webhooks/{webhook_id}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rotate the secret of a webhook
     * @description For 24 hours every event is signed with the new secret and with the one before.
     */
    post: operations['rotateWebhookSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhook_id}/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send a test event
     * @description Sent within seconds like every event, to this webhook alone. Its result is among the deliveries.
     */
    post: operations['testWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhook_id}/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the deliveries of a webhook
     * @description Newest first, of the last 30 days.
     */
    get: operations['listWebhookDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhook_id}/deliveries/{message_id}/resend': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send an event again
     * @description Sends an event that was delivered or has failed once more, within seconds, with the same `webhook-id` and the same body. It is tried as often as a new one.
     */
    post: operations['resendWebhookDelivery'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/links': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Ask for a link to sign in
     * @description The answer is the same whether or not the address is known, and whether or not a mail is sent.
     */
    post: operations['requestLink'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/links/{token}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Open a link
     * @description A page with a button, which spends the link. Looking at the page does not. If the link cannot be used and the browser is signed in, the page says so.
     */
    get: operations['showLink'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/sessions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the sessions that live */
    get: operations['listSessions'];
    put?: never;
    /**
     * Sign in with a link
     * @description Spends the link and starts a session, in the cookie and, for programs, in the JSON. The form of the link's page sends `application/x-www-form-urlencoded`, and leads to the console; its errors are pages.
     */
    post: operations['createSession'];
    /**
     * Sign out everywhere
     * @description Ends every session of the account, this one and those of devices included, its links that were not used, and the mails with links that wait to be sent.
     */
    delete: operations['endAllSessions'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/codes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sign in with a code
     * @description Spends a link by the code beside it, in the browser that asked for the link: its cookie `farebox_browser` comes with `POST /auth/links`. Five attempts at most. A program that keeps no cookies uses the link.
     */
    post: operations['spendCode'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/sessions/{session_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * End a session
     * @description A second time the answer is the same.
     */
    delete: operations['endSession'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/session': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Sign out
     * @description Also of an account that has no access.
     */
    delete: operations['signOut'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/docs/errors': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read about errors */
    get: operations['getErrorDocs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/docs/errors/{code}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read about an error
     * @description The header `Link` of every error leads here.
     */
    get: operations['getErrorPage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/service': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Ask whose service this is */
    get: operations['getService'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/healthz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Ask whether the process lives */
    get: operations['getHealth'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/readyz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Ask whether the process can serve */
    get: operations['getReadiness'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/openapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get this document */
    get: operations['getOpenApiDocument'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/docs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read this document */
    get: operations['getDocsPage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    Account: {
      /** @constant */
      object: 'account';
      account_id: string;
      name: string | null;
      email: string;
      /**
       * @description The invite status.
       * @enum {string}
       */
      status: 'none' | 'invited' | 'active' | 'suspended';
      created_at: number;
      /** @description The most that the account may spend and request in a UTC day, with all of its keys together. */
      caps: {
        daily_spend: string | null;
        daily_requests: number | null;
      };
      /** @description The current UTC day as the caps count it: a request counts on the day on which it was admitted. */
      today: {
        /** @description What was charged and what is held for requests under way. */
        spend: string;
        spend_left: string | null;
        requests: number;
        requests_left: number | null;
        /** @description When the next UTC day begins. */
        resets_at: number;
      };
      /** @description What was charged in the current UTC month. Refunds are not taken off. */
      month: {
        /** @description US dollars, with nine decimal places. */
        spend: string;
        requests: number;
        starts_at: number;
      };
      /** @description What each API key is held to. */
      request_limits: {
        /** @description Requests of an API key in a window. */
        requests: number;
        /** @description The length of the window, which slides. */
        window_seconds: number;
        /** @description Requests of an API key at once. */
        concurrent: number;
      };
      /** @description Of the console and the mails. Null: that of the owner's browser. Errors are always in English. */
      language: ('en' | 'de') | null;
      /** @description The owner is mailed once when less than this is available. Null: they are not. */
      low_balance_threshold: string | null;
    };
    AccountEvent: {
      /** @constant */
      object: 'account_event';
      event_id: string;
      created_at: number;
      /**
       * @description What it was done to.
       * @enum {string}
       */
      credential: 'api_key' | 'device' | 'session' | 'account';
      /** @description The key, the device, the session or the account. */
      credential_id: string;
      /** @description The name that the key or the device has now. Of the session of a device, that of the device. */
      name: string | null;
      /** @enum {string} */
      action: 'create' | 'change' | 'rotate' | 'revoke';
      /**
       * @description Who did it: a person who was signed in, a device for itself, the operator, or the service.
       * @enum {string}
       */
      actor_kind: 'session' | 'device' | 'operator' | 'system';
      /** @description The session or the device. A sign-in is done by the session that it makes. */
      actor_id: string | null;
      /** @description Where from: the first 24 bits of an IPv4 address, or 48 of an IPv6 address. */
      network: string | null;
      /** @description What the browser or program said of itself. */
      user_agent: string | null;
      /** @description The browser and the system that `user_agent` names. Null if it names none that is known. */
      browser: string | null;
      /** @description Whether it is a sign-in by a browser that had not signed in to the account before. */
      new_browser: boolean;
    };
    AccountEventList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['AccountEvent'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    AccountLimitList: {
      /** @constant */
      object: 'list';
      data: {
        /** @constant */
        object: 'account_limit';
        /** @enum {string} */
        measure: 'requests' | 'tokens' | 'concurrency' | 'spend';
        /** @description The window, in UTC: a week begins on Monday, five hours at multiples of five hours since 1970. Null for concurrency. */
        per: ('minute' | 'five_hours' | 'day' | 'week' | 'month') | null;
        /** @description The API key that it is for. Null: for all of them together. */
        key_public_id: string | null;
        /** @description The name that this key has now; null without a key. */
        key_name: string | null;
        /** @description The model that it is for. Null: for all of them together. */
        model: string | null;
        /** @description US dollars for `spend`. */
        limit: number | string;
        /** @description What was used, and the most that requests under way can use. */
        used: number | string;
        left: number | string;
        /** @description When the window ends. Null for concurrency. */
        resets_at: number | null;
      }[];
    };
    AccountModelList: {
      /** @constant */
      object: 'list';
      data: {
        /** @constant */
        object: 'account_model';
        id: string;
        owned_by: string;
        /** @description How many of the active API keys may use it by their own lists. */
        allowed_api_keys: number;
        /**
         * @description What the model is for.
         * @enum {string}
         */
        kind: 'chat' | 'embeddings';
        /** @description The prices of a million tokens that are in force now. */
        pricing: {
          /** @description US dollars, with nine decimal places. */
          input: string;
          /** @description US dollars, with nine decimal places. */
          output: string;
          /** @description Of prompt tokens from a cache. Without it: that of `input`. */
          cached_input?: string;
          /** @description Of prompt tokens into a cache. Without it: that of `input`. */
          cache_write?: string;
          /** @description Of reasoning tokens. Without it: that of `output`. */
          reasoning?: string;
          /** @description Of an image of the prompt, beside its tokens. */
          image?: string;
          /** @description Of a request that is charged. */
          request?: string;
          /** @description If a request's prompt is longer than this, the step's prices apply to the whole request. */
          steps?: {
            above_prompt_tokens: number;
            /** @description US dollars, with nine decimal places. */
            input: string;
            /** @description US dollars, with nine decimal places. */
            output: string;
            /** @description Of prompt tokens from a cache. Without it: that of `input`. */
            cached_input?: string;
            /** @description Of prompt tokens into a cache. Without it: that of `input`. */
            cache_write?: string;
            /** @description Of reasoning tokens. Without it: that of `output`. */
            reasoning?: string;
          }[];
          /** @constant */
          currency: 'usd';
          /** @constant */
          unit: '1M tokens';
        };
        /** @description The most tokens that a prompt and its completion may have together; for embeddings, those of one input. */
        context_window: number;
        /** @description The most that a completion can have. A higher `max_tokens` is lowered to it. 0: embeddings have none. */
        max_output_tokens: number;
        input_modalities: ('text' | 'image' | 'file')[];
      }[];
      /** @description How many API keys of the account are active. */
      active_api_keys: number;
    };
    ApiKey: {
      /** @constant */
      object: 'api_key';
      key_public_id: string;
      name: string;
      hint: string;
      /**
       * @description `disabled`: switched off by its owner, and refused as a revoked one until it is switched on.
       * @enum {string}
       */
      status: 'active' | 'disabled' | 'expired' | 'revoked';
      created_at: number;
      expires_at: number | null;
      revoked_at: number | null;
      last_used_at: number | null;
      monthly_spend_limit: string | null;
      /** @description US dollars, with nine decimal places. */
      monthly_spend: string;
      /** @constant */
      currency: 'usd';
      model_policy: {
        /** @enum {string} */
        mode: 'allow' | 'block';
        models: string[];
      } | null;
      /** @description The pages that may use the key, in browsers. Null: any program may. */
      allowed_origins: string[] | null;
      /** @description Whether responses to the key tell the account's balance, daily caps and what is held of them. Unless it is set, they do if the key has no `allowed_origins`. */
      shows_account_limits: boolean;
      /** @description Whether it is the key of the console's playground. The service sets it, and nobody can change such a key. */
      playground: boolean;
    };
    ApiKeyList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['ApiKey'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    ApiKeyNotFoundError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'invalid_request_error';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'api_key_not_found';
      };
    };
    ApiKeyRevokedError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'invalid_request_error';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'api_key_revoked';
      };
    };
    ApiKeyWithSecret: {
      /** @constant */
      object: 'api_key';
      key_public_id: string;
      name: string;
      hint: string;
      /**
       * @description `disabled`: switched off by its owner, and refused as a revoked one until it is switched on.
       * @enum {string}
       */
      status: 'active' | 'disabled' | 'expired' | 'revoked';
      created_at: number;
      expires_at: number | null;
      revoked_at: number | null;
      last_used_at: number | null;
      monthly_spend_limit: string | null;
      /** @description US dollars, with nine decimal places. */
      monthly_spend: string;
      /** @constant */
      currency: 'usd';
      model_policy: {
        /** @enum {string} */
        mode: 'allow' | 'block';
        models: string[];
      } | null;
      /** @description The pages that may use the key, in browsers. Null: any program may. */
      allowed_origins: string[] | null;
      /** @description Whether responses to the key tell the account's balance, daily caps and what is held of them. Unless it is set, they do if the key has no `allowed_origins`. */
      shows_account_limits: boolean;
      /** @description Whether it is the key of the console's playground. The service sets it, and nobody can change such a key. */
      playground: boolean;
      key: string;
    };
    AuthenticationError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'authentication_error';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'authentication_error';
      };
    };
    AutomaticTopUp: {
      /** @constant */
      object: 'automatic_top_up';
      enabled: boolean;
      /** @description It tops up when less than this is available. Null until it was set. */
      threshold: string | null;
      /** @description What each payment adds. */
      amount: string | null;
      /** @description The most that it charges in a UTC month. */
      monthly_ceiling: string | null;
      /** @description Including a payment that is under way. */
      charged_this_month: string;
      /** @description Whether the next payment would exceed the ceiling. */
      ceiling_reached: boolean;
      /** @constant */
      currency: 'usd';
      /** @description Why it was switched off: by the customer, after three declines in a row, because the card is gone, or because a payment was disputed. */
      off_reason: ('customer' | 'failures' | 'card' | 'dispute') | null;
      off_at: number | null;
      /** @description What `consent` agrees to. */
      consent_text: string;
      card: {
        /** @description As the payment provider names it, like visa. */
        brand: string;
        last_four: string;
        expiry_month: number;
        expiry_year: number;
      } | null;
      last_attempt: {
        /** @enum {string} */
        status: 'processing' | 'succeeded' | 'failed';
        /** @description US dollars, with nine decimal places. */
        amount: string;
        /** @description Why it failed: a code of the payment provider, like insufficient_funds, or not_made. */
        failure: string | null;
        created_at: number;
      } | null;
    };
    Balance: {
      /** @constant */
      object: 'balance';
      /** @constant */
      currency: 'usd';
      /** @description US dollars, with nine decimal places. */
      balance: string;
      /** @description US dollars, with nine decimal places. */
      held: string;
      /** @description US dollars, with nine decimal places. */
      available: string;
    };
    BetaAccessRequiredError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'access_denied';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'beta_access_required';
      };
    };
    BillingDetails: {
      /** @constant */
      object: 'billing_details';
      /** @description Of the company or person that is billed. */
      legal_name: string | null;
      /** @description In lines. */
      address: string | null;
      /** @description As in ISO 3166-1, in two letters. */
      country: string | null;
      tax_id: string | null;
      /** @description The number of an order of yours. */
      purchase_order: string | null;
      billing_email: string | null;
    };
    BillingError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'billing_error';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'billing_error';
      };
    };
    CardSetup: {
      /** @constant */
      object: 'card_setup';
      /**
       * Format: uri
       * @description The payment provider's page on which the customer enters the card.
       */
      url: string;
      expires_at: number;
    };
    ChatCompletion: {
      /** Format: starts_with */
      id: string;
      /** @constant */
      object: 'chat.completion';
      created: number;
      model: string;
      choices: {
        index: number;
        message: {
          /** @constant */
          role: 'assistant';
          content: string | null;
          refusal: string | null;
          reasoning_content?: string;
          reasoning_details?: (
            | {
                /** @constant */
                type: 'reasoning.text';
                text?: string;
                signature: string;
              }
            | {
                /** @constant */
                type: 'reasoning.encrypted';
                data: string;
              }
          )[];
          tool_calls?: (
            | {
                id: string;
                /** @constant */
                type: 'function';
                extra_content?: {
                  google: {
                    thought_signature: string;
                  };
                };
                function: {
                  name: string;
                  arguments: string;
                };
              }
            | {
                id: string;
                /** @constant */
                type: 'custom';
                custom: {
                  name: string;
                  input: string;
                };
              }
          )[];
          annotations?: {
            /** @constant */
            type: 'url_citation';
            url_citation: {
              start_index: number;
              end_index: number;
              url: string;
              title: string;
            };
          }[];
        };
        logprobs: {
          content:
            | {
                token: string;
                logprob: number;
                bytes: number[] | null;
                top_logprobs: {
                  token: string;
                  logprob: number;
                  bytes: number[] | null;
                }[];
              }[]
            | null;
          refusal:
            | {
                token: string;
                logprob: number;
                bytes: number[] | null;
                top_logprobs: {
                  token: string;
                  logprob: number;
                  bytes: number[] | null;
                }[];
              }[]
            | null;
        } | null;
        /** @enum {string} */
        finish_reason: 'stop' | 'length' | 'tool_calls' | 'content_filter';
        stop_sequence?: string;
      }[];
      usage: {
        prompt_tokens: number;
        completion_tokens: number;
        total_tokens: number;
        /** @description Of the prompt tokens. Zeros if the upstream did not tell. */
        prompt_tokens_details?: {
          cached_tokens: number;
          cache_write_tokens: number;
        };
        /** @description Of the completion tokens. Zero if the upstream did not tell. */
        completion_tokens_details?: {
          reasoning_tokens: number;
        };
        cost: string;
      };
    };
    ChatCompletionChunk: {
      /** Format: starts_with */
      id: string;
      /** @constant */
      object: 'chat.completion.chunk';
      created: number;
      model: string;
      choices: {
        index: number;
        delta: {
          /** @constant */
          role?: 'assistant';
          content?: string | null;
          refusal?: string | null;
          reasoning_content?: string;
          reasoning_details?: (
            | {
                /** @constant */
                type: 'reasoning.text';
                text?: string;
                signature: string;
              }
            | {
                /** @constant */
                type: 'reasoning.encrypted';
                data: string;
              }
          )[];
          tool_calls?: {
            index: number;
            id?: string;
            /** @enum {string} */
            type?: 'function' | 'custom';
            extra_content?: {
              google: {
                thought_signature: string;
              };
            };
            function?: {
              name?: string;
              arguments?: string;
            };
            /** @description Of a custom tool. Its input comes in one piece, at the end. */
            custom?: {
              name?: string;
              input?: string;
            };
          }[];
          annotations?: {
            /** @constant */
            type: 'url_citation';
            url_citation: {
              start_index: number;
              end_index: number;
              url: string;
              title: string;
            };
          }[];
        };
        logprobs?: {
          content:
            | {
                token: string;
                logprob: number;
                bytes: number[] | null;
                top_logprobs: {
                  token: string;
                  logprob: number;
                  bytes: number[] | null;
                }[];
              }[]
            | null;
          refusal:
            | {
                token: string;
                logprob: number;
                bytes: number[] | null;
                top_logprobs: {
                  token: string;
                  logprob: number;
                  bytes: number[] | null;
                }[];
              }[]
            | null;
        } | null;
        finish_reason: ('stop' | 'length' | 'tool_calls' | 'content_filter') | null;
        stop_sequence?: string;
      }[];
      usage?: {
        prompt_tokens: number;
        completion_tokens: number;
        total_tokens: number;
        /** @description Of the prompt tokens. Zeros if the upstream did not tell. */
        prompt_tokens_details?: {
          cached_tokens: number;
          cache_write_tokens: number;
        };
        /** @description Of the completion tokens. Zero if the upstream did not tell. */
        completion_tokens_details?: {
          reasoning_tokens: number;
        };
        cost: string;
      } | null;
    };
    ChatCompletionRequest: {
      model: string;
      messages: (
        | {
            /** @constant */
            role: 'system';
            content:
              | string
              | {
                  /** @constant */
                  type: 'text';
                  text: string;
                }[];
            name?: string | null;
          }
        | {
            /** @constant */
            role: 'developer';
            content:
              | string
              | {
                  /** @constant */
                  type: 'text';
                  text: string;
                }[];
            name?: string | null;
          }
        | {
            /** @constant */
            role: 'user';
            content:
              | string
              | (
                  | {
                      /** @constant */
                      type: 'text';
                      text: string;
                    }
                  | {
                      /** @constant */
                      type: 'image_url';
                      image_url: {
                        url: string;
                        detail?: ('auto' | 'low' | 'high') | null;
                      };
                    }
                  | {
                      /** @constant */
                      type: 'file';
                      file: {
                        file_data: string;
                        filename?: string | null;
                        file_id?: null;
                      };
                    }
                )[];
            name?: string | null;
          }
        | {
            /** @constant */
            role: 'assistant';
            content?:
              | (
                  | string
                  | (
                      | {
                          /** @constant */
                          type: 'text';
                          text: string;
                        }
                      | {
                          /** @constant */
                          type: 'refusal';
                          refusal: string;
                        }
                    )[]
                )
              | null;
            refusal?: string | null;
            reasoning_content?: string | null;
            reasoning?: string | null;
            reasoning_details?:
              | ({
                  /** @enum {string} */
                  type: 'reasoning.text' | 'reasoning.encrypted';
                  text?: string | null;
                  signature?: string | null;
                  data?: string | null;
                } | null)[]
              | null;
            name?: string | null;
            tool_calls?:
              | (
                  | {
                      id: string;
                      /** @constant */
                      type: 'function';
                      function: {
                        name: string;
                        arguments: string;
                      };
                      extra_content?: {
                        google: {
                          thought_signature: string;
                        };
                      } | null;
                    }
                  | {
                      id: string;
                      /** @constant */
                      type: 'custom';
                      custom: {
                        name: string;
                        input: string;
                      };
                    }
                )[]
              | null;
            function_call?: {
              name: string;
              arguments: string;
            } | null;
          }
        | {
            /** @constant */
            role: 'tool';
            content:
              | string
              | (
                  | {
                      /** @constant */
                      type: 'text';
                      text: string;
                    }
                  | {
                      /** @constant */
                      type: 'image_url';
                      image_url: {
                        url: string;
                        detail?: ('auto' | 'low' | 'high') | null;
                      };
                    }
                  | {
                      /** @constant */
                      type: 'file';
                      file: {
                        file_data: string;
                        filename?: string | null;
                        file_id?: null;
                      };
                    }
                )[];
            tool_call_id: string;
            name?: string | null;
          }
        | {
            /** @constant */
            role: 'function';
            content: string;
            name: string;
          }
      )[];
      temperature?: number | null;
      top_p?: number | null;
      frequency_penalty?: number | null;
      presence_penalty?: number | null;
      logit_bias?: {
        [key: string]: number;
      } | null;
      logprobs?: boolean | null;
      top_logprobs?: number | null;
      n?: number | null;
      seed?: number | null;
      stop?: (string | string[]) | null;
      tools?:
        | (
            | {
                /** @constant */
                type: 'function';
                function: {
                  name: string;
                  description?: string | null;
                  parameters?: {
                    [key: string]: unknown;
                  } | null;
                  strict?: boolean | null;
                };
              }
            | {
                /** @constant */
                type: 'custom';
                custom: {
                  name: string;
                  description?: string | null;
                  format?:
                    | (
                        | {
                            /** @constant */
                            type: 'text';
                          }
                        | {
                            /** @constant */
                            type: 'grammar';
                            grammar: {
                              /** @enum {string} */
                              syntax: 'lark' | 'regex';
                              definition: string;
                            };
                          }
                      )
                    | null;
                };
              }
            | ({
                type: string;
              } & {
                [key: string]: unknown;
              })
          )[]
        | null;
      tool_choice?:
        | (
            | ('none' | 'auto' | 'required')
            | (
                | {
                    /** @constant */
                    type: 'function';
                    function: {
                      name: string;
                    };
                  }
                | {
                    /** @constant */
                    type: 'custom';
                    custom: {
                      name: string;
                    };
                  }
              )
            | {
                /** @constant */
                type: 'allowed_tools';
                allowed_tools: {
                  /** @enum {string} */
                  mode: 'auto' | 'required';
                  tools: (
                    | {
                        /** @constant */
                        type: 'function';
                        function: {
                          name: string;
                        };
                      }
                    | {
                        /** @constant */
                        type: 'custom';
                        custom: {
                          name: string;
                        };
                      }
                  )[];
                };
              }
            | ({
                type: string;
              } & {
                [key: string]: unknown;
              })
          )
        | null;
      parallel_tool_calls?: boolean | null;
      response_format?:
        | (
            | {
                /** @constant */
                type: 'text';
              }
            | {
                /** @constant */
                type: 'json_object';
              }
            | {
                /** @constant */
                type: 'json_schema';
                json_schema: {
                  name: string;
                  description?: string | null;
                  schema?: {
                    [key: string]: unknown;
                  } | null;
                  strict?: boolean | null;
                };
              }
          )
        | null;
      reasoning_effort?: ('none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max') | null;
      user?: string | null;
      metadata?: {
        [key: string]: string;
      } | null;
      store?: boolean | null;
      service_tier?: string | null;
      prompt_cache_key?: string | null;
      prompt_cache_retention?: string | null;
      prompt_cache_options?: {
        [key: string]: unknown;
      } | null;
      safety_identifier?: string | null;
      verbosity?: ('low' | 'medium' | 'high') | null;
      audio?: null;
      prediction?: null;
      web_search_options?: null;
      moderation?: null;
      functions?: unknown[] | null;
      function_call?: null;
      modalities?: 'text'[] | null;
      max_tokens?: number | null;
      max_completion_tokens?: number | null;
      stream?: boolean | null;
      stream_options?: {
        include_usage?: boolean | null;
        include_obfuscation?: boolean | null;
      } | null;
    };
    Checkout: {
      /** @constant */
      object: 'checkout';
      id: string;
      /**
       * Format: uri
       * @description The payment provider's page on which the customer pays.
       */
      url: string;
      /** @description US dollars, with nine decimal places. */
      amount: string;
      /** @constant */
      currency: 'usd';
      created_at: number;
      expires_at: number;
    };
    CheckoutStatus: {
      /** @constant */
      object: 'checkout_status';
      id: string;
      /**
       * @description `open`: not paid yet. `awaiting`: ordered, and not there yet. `paid`: on the balance. `ended`: it does not arrive.
       * @enum {string}
       */
      status: 'open' | 'awaiting' | 'paid' | 'ended';
      /** @description US dollars, with nine decimal places. */
      amount: string;
      /** @constant */
      currency: 'usd';
      /** @description Of the receipt, once it is paid. */
      receipt_number: string | null;
      created_at: number;
    };
    CountTokensRequest: {
      model: string;
      messages: (
        | {
            /** @constant */
            role: 'user';
            content:
              | string
              | (
                  | (
                      | {
                          /** @constant */
                          type: 'text';
                          text: string;
                          cache_control?: {
                            /** @constant */
                            type: 'ephemeral';
                            ttl?: ('5m' | '1h') | null;
                          } | null;
                        }
                      | {
                          /** @constant */
                          type: 'image';
                          source:
                            | {
                                /** @constant */
                                type: 'base64';
                                /** @enum {string} */
                                media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
                                data: string;
                              }
                            | {
                                /** @constant */
                                type: 'url';
                                url: string;
                              }
                            | {
                                /** @constant */
                                type: 'file';
                                file_id: unknown;
                              };
                          cache_control?: {
                            /** @constant */
                            type: 'ephemeral';
                            ttl?: ('5m' | '1h') | null;
                          } | null;
                        }
                      | {
                          /** @constant */
                          type: 'document';
                          source:
                            | {
                                /** @constant */
                                type: 'base64';
                                /** @constant */
                                media_type: 'application/pdf';
                                data: string;
                              }
                            | {
                                /** @constant */
                                type: 'text';
                                /** @constant */
                                media_type: 'text/plain';
                                data: string;
                              }
                            | {
                                /** @constant */
                                type: 'content';
                                content:
                                  | string
                                  | (
                                      | {
                                          /** @constant */
                                          type: 'text';
                                          text: string;
                                          cache_control?: {
                                            /** @constant */
                                            type: 'ephemeral';
                                            ttl?: ('5m' | '1h') | null;
                                          } | null;
                                        }
                                      | {
                                          /** @constant */
                                          type: 'image';
                                          source:
                                            | {
                                                /** @constant */
                                                type: 'base64';
                                                /** @enum {string} */
                                                media_type:
                                                  'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
                                                data: string;
                                              }
                                            | {
                                                /** @constant */
                                                type: 'url';
                                                url: string;
                                              }
                                            | {
                                                /** @constant */
                                                type: 'file';
                                                file_id: unknown;
                                              };
                                          cache_control?: {
                                            /** @constant */
                                            type: 'ephemeral';
                                            ttl?: ('5m' | '1h') | null;
                                          } | null;
                                        }
                                    )[];
                              }
                            | {
                                /** @constant */
                                type: 'url';
                                url: unknown;
                              }
                            | {
                                /** @constant */
                                type: 'file';
                                file_id: unknown;
                              };
                          title?: string | null;
                          context?: string | null;
                          cache_control?: {
                            /** @constant */
                            type: 'ephemeral';
                            ttl?: ('5m' | '1h') | null;
                          } | null;
                        }
                      | {
                          /** @constant */
                          type: 'search_result';
                          source: string;
                          title: string;
                          content: {
                            /** @constant */
                            type: 'text';
                            text: string;
                            cache_control?: {
                              /** @constant */
                              type: 'ephemeral';
                              ttl?: ('5m' | '1h') | null;
                            } | null;
                          }[];
                          cache_control?: {
                            /** @constant */
                            type: 'ephemeral';
                            ttl?: ('5m' | '1h') | null;
                          } | null;
                        }
                      | {
                          /** @constant */
                          type: 'tool_result';
                          tool_use_id: string;
                          content?:
                            | (
                                | string
                                | (
                                    | (
                                        | {
                                            /** @constant */
                                            type: 'text';
                                            text: string;
                                            cache_control?: {
                                              /** @constant */
                                              type: 'ephemeral';
                                              ttl?: ('5m' | '1h') | null;
                                            } | null;
                                          }
                                        | {
                                            /** @constant */
                                            type: 'image';
                                            source:
                                              | {
                                                  /** @constant */
                                                  type: 'base64';
                                                  /** @enum {string} */
                                                  media_type:
                                                    'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
                                                  data: string;
                                                }
                                              | {
                                                  /** @constant */
                                                  type: 'url';
                                                  url: string;
                                                }
                                              | {
                                                  /** @constant */
                                                  type: 'file';
                                                  file_id: unknown;
                                                };
                                            cache_control?: {
                                              /** @constant */
                                              type: 'ephemeral';
                                              ttl?: ('5m' | '1h') | null;
                                            } | null;
                                          }
                                        | {
                                            /** @constant */
                                            type: 'document';
                                            source:
                                              | {
                                                  /** @constant */
                                                  type: 'base64';
                                                  /** @constant */
                                                  media_type: 'application/pdf';
                                                  data: string;
                                                }
                                              | {
                                                  /** @constant */
                                                  type: 'text';
                                                  /** @constant */
                                                  media_type: 'text/plain';
                                                  data: string;
                                                }
                                              | {
                                                  /** @constant */
                                                  type: 'content';
                                                  content:
                                                    | string
                                                    | (
                                                        | {
                                                            /** @constant */
                                                            type: 'text';
                                                            text: string;
                                                            cache_control?: {
                                                              /** @constant */
                                                              type: 'ephemeral';
                                                              ttl?: ('5m' | '1h') | null;
                                                            } | null;
                                                          }
                                                        | {
                                                            /** @constant */
                                                            type: 'image';
                                                            source:
                                                              | {
                                                                  /** @constant */
                                                                  type: 'base64';
                                                                  /** @enum {string} */
                                                                  media_type:
                                                                    | 'image/png'
                                                                    | 'image/jpeg'
                                                                    | 'image/gif'
                                                                    | 'image/webp';
                                                                  data: string;
                                                                }
                                                              | {
                                                                  /** @constant */
                                                                  type: 'url';
                                                                  url: string;
                                                                }
                                                              | {
                                                                  /** @constant */
                                                                  type: 'file';
                                                                  file_id: unknown;
                                                                };
                                                            cache_control?: {
                                                              /** @constant */
                                                              type: 'ephemeral';
                                                              ttl?: ('5m' | '1h') | null;
                                                            } | null;
                                                          }
                                                      )[];
                                                }
                                              | {
                                                  /** @constant */
                                                  type: 'url';
                                                  url: unknown;
                                                }
                                              | {
                                                  /** @constant */
                                                  type: 'file';
                                                  file_id: unknown;
                                                };
                                            title?: string | null;
                                            context?: string | null;
                                            cache_control?: {
                                              /** @constant */
                                              type: 'ephemeral';
                                              ttl?: ('5m' | '1h') | null;
                                            } | null;
                                          }
                                        | {
                                            /** @constant */
                                            type: 'search_result';
                                            source: string;
                                            title: string;
                                            content: {
                                              /** @constant */
                                              type: 'text';
                                              text: string;
                                              cache_control?: {
                                                /** @constant */
                                                type: 'ephemeral';
                                                ttl?: ('5m' | '1h') | null;
                                              } | null;
                                            }[];
                                            cache_control?: {
                                              /** @constant */
                                              type: 'ephemeral';
                                              ttl?: ('5m' | '1h') | null;
                                            } | null;
                                          }
                                        | {
                                            /** @constant */
                                            type: 'tool_reference';
                                            tool_name: string;
                                          }
                                      )
                                    | ({
                                        type: string;
                                      } & {
                                        [key: string]: unknown;
                                      })
                                  )[]
                              )
                            | null;
                          is_error?: boolean | null;
                          cache_control?: {
                            /** @constant */
                            type: 'ephemeral';
                            ttl?: ('5m' | '1h') | null;
                          } | null;
                        }
                    )
                  | ({
                      type: string;
                    } & {
                      [key: string]: unknown;
                    })
                )[];
          }
        | {
            /** @constant */
            role: 'assistant';
            content:
              | string
              | (
                  | (
                      | {
                          /** @constant */
                          type: 'text';
                          text: string;
                          cache_control?: {
                            /** @constant */
                            type: 'ephemeral';
                            ttl?: ('5m' | '1h') | null;
                          } | null;
                        }
                      | {
                          /** @constant */
                          type: 'thinking';
                          thinking: string;
                          signature?: string | null;
                        }
                      | {
                          /** @constant */
                          type: 'redacted_thinking';
                          data: string;
                        }
                      | {
                          /** @constant */
                          type: 'tool_use';
                          id: string;
                          name: string;
                          input: {
                            [key: string]: unknown;
                          };
                          cache_control?: {
                            /** @constant */
                            type: 'ephemeral';
                            ttl?: ('5m' | '1h') | null;
                          } | null;
                        }
                    )
                  | ({
                      type: string;
                    } & {
                      [key: string]: unknown;
                    })
                )[];
          }
        | {
            /** @constant */
            role: 'system';
            content:
              | string
              | {
                  /** @constant */
                  type: 'text';
                  text: string;
                  cache_control?: {
                    /** @constant */
                    type: 'ephemeral';
                    ttl?: ('5m' | '1h') | null;
                  } | null;
                }[];
          }
      )[];
      system?:
        | (
            | string
            | {
                /** @constant */
                type: 'text';
                text: string;
                cache_control?: {
                  /** @constant */
                  type: 'ephemeral';
                  ttl?: ('5m' | '1h') | null;
                } | null;
              }[]
          )
        | null;
      tools?:
        | (
            | {
                type?: 'custom' | null;
                name: string;
                description?: string | null;
                input_schema: {
                  [key: string]: unknown;
                };
                strict?: boolean | null;
                defer_loading?: boolean | null;
                cache_control?: {
                  /** @constant */
                  type: 'ephemeral';
                  ttl?: ('5m' | '1h') | null;
                } | null;
              }
            | {
                type: string;
                name?: string;
              }
          )[]
        | null;
      tool_choice?:
        | (
            | {
                /** @constant */
                type: 'auto';
                disable_parallel_tool_use?: boolean | null;
              }
            | {
                /** @constant */
                type: 'any';
                disable_parallel_tool_use?: boolean | null;
              }
            | {
                /** @constant */
                type: 'tool';
                name: string;
                disable_parallel_tool_use?: boolean | null;
              }
            | {
                /** @constant */
                type: 'none';
              }
          )
        | null;
      thinking?: {
        /** @enum {string} */
        type: 'enabled' | 'disabled' | 'adaptive' | 'between_tools';
        budget_tokens?: number | null;
        display?: ('summarized' | 'omitted' | 'updates') | null;
      } | null;
      output_config?: {
        effort?: ('low' | 'medium' | 'high' | 'xhigh' | 'max') | null;
        format?: {
          /** @constant */
          type: 'json_schema';
          schema: {
            [key: string]: unknown;
          };
        } | null;
      } | null;
      cache_control?: {
        /** @constant */
        type: 'ephemeral';
        ttl?: ('5m' | '1h') | null;
      } | null;
    };
    CreateApiKeyRequest: {
      name: string;
      monthly_spend_limit?: string | null;
      expires_at?: (number | string) | null;
      model_policy?: {
        /** @enum {string} */
        mode: 'allow' | 'block';
        models: string[];
      } | null;
      allowed_origins?: string[] | null;
      shows_account_limits?: boolean | null;
    };
    CreateCheckoutRequest: {
      /** @description Dollars in whole cents, within the bounds that GET /v1/billing/funding names. */
      amount: string;
    };
    CreateSessionRequest: {
      token: string;
    };
    CreateWebhookRequest: {
      /** @description Where events are sent: an https URL. */
      url: string;
      description?: string | null;
      event_types?:
        | (
            | 'api_key.created'
            | 'api_key.changed'
            | 'api_key.rotated'
            | 'api_key.revoked'
            | 'spending_limit.reached'
            | 'usage_limit.reached'
            | 'balance.low'
            | 'funding.credited'
            | 'funding.reversed'
            | 'invoice.issued'
            | 'credit_note.issued'
            | 'review.opened'
            | 'review.resolved'
            | 'account.suspended'
            | 'account.reinstated'
          )[]
        | null;
    };
    CreatedMessage: {
      /** Format: starts_with */
      id: string;
      /** @constant */
      type: 'message';
      /** @constant */
      role: 'assistant';
      model: string;
      content: (
        | {
            /** @constant */
            type: 'text';
            text: string;
            citations?: {
              /** @constant */
              type: 'web_search_result_location';
              url: string;
              title: string | null;
              /** @constant */
              cited_text: '';
              /** @constant */
              encrypted_index: '';
            }[];
          }
        | {
            /** @constant */
            type: 'thinking';
            thinking: string;
            signature: string;
          }
        | {
            /** @constant */
            type: 'redacted_thinking';
            data: string;
          }
        | {
            /** @constant */
            type: 'tool_use';
            id: string;
            name: string;
            input: {
              [key: string]: unknown;
            };
          }
      )[];
      stop_reason: ('end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'refusal') | null;
      stop_sequence: string | null;
      usage: {
        input_tokens: number;
        cache_creation_input_tokens: number;
        cache_read_input_tokens: number;
        output_tokens: number;
        output_tokens_details?: {
          thinking_tokens: number;
        };
        /** @description In US dollars. Not known while a stream begins. */
        cost?: string;
      };
    };
    CreditNote: {
      /** @constant */
      object: 'credit_note';
      /** @description Consecutive within a year, across the whole service. */
      number: string;
      /** @description The invoice whose charges were given back. */
      invoice_number: string | null;
      /** @description The receipt of the payment that was taken back. */
      receipt_number: string | null;
      /** @description For an invoice: the UTC calendar month in which the charges were given back, like 2026-11. */
      month: string | null;
      reason: string;
      /** @description What was given back. Negative if a payment that had been taken back came again, as after a refund that failed. */
      amount: string;
      /** @description The same in whole cents, rounded half up. A negative amount is rounded like the positive one. */
      amount_rounded: string;
      /** @constant */
      currency: 'usd';
      /** @description The account as it was when this was issued. */
      customer: {
        name: string;
        email: string;
        /** @description Of the company or person that is billed. */
        legal_name: string | null;
        /** @description In lines. */
        address: string | null;
        /** @description As in ISO 3166-1, in two letters. */
        country: string | null;
        tax_id: string | null;
        /** @description The number of an order of yours. */
        purchase_order: string | null;
        billing_email: string | null;
      };
      /** @description The operator as they were when this was issued; null if they had not set it. */
      seller: {
        legal_name: string;
        /** @description In lines. */
        address: string | null;
        country: string | null;
        tax_id: string | null;
        billing_email: string | null;
      } | null;
      /** @description By model, for an invoice. They sum to the amount. */
      lines: {
        model: string;
        requests: number;
        prompt_tokens: number;
        completion_tokens: number;
        /** @description Of the prompt tokens, as far as the model told. */
        cached_tokens: number;
        /** @description Of the prompt tokens, as far as the model told. */
        cache_write_tokens: number;
        /** @description Of the completion tokens, as far as the model told. */
        reasoning_tokens: number;
        /** @description US dollars, with nine decimal places. */
        amount: string;
      }[];
      issued_at: number;
    };
    CreditNoteList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['CreditNote'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    DeletedWebhook: {
      /** @constant */
      object: 'webhook';
      webhook_id: string;
      /** @constant */
      deleted: true;
    };
    Device: {
      /** @constant */
      object: 'device';
      device_id: string;
      name: string;
      platform: string;
      /** @enum {string} */
      status: 'active' | 'revoked';
      created_at: number;
      /** @description The last heartbeat. */
      last_seen_at: number | null;
      /** @description When the session of the device ends at the latest. Null if it has none. */
      session_expires_at: number | null;
      revoked_at: number | null;
    };
    DeviceList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Device'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    DeviceSession: {
      /** @constant */
      object: 'device_session';
      device_id: string;
      session_token: string;
      /** @description When the session ends at the latest. Without use it ends earlier. */
      expires_at: number;
    };
    EmbeddingsList: {
      /** @constant */
      object: 'list';
      data: {
        /** @constant */
        object: 'embedding';
        index: number;
        /** @description Numbers, or with `encoding_format: base64` 32-bit floats, little-endian. */
        embedding: number[] | string;
      }[];
      model: string;
      usage: {
        prompt_tokens: number;
        total_tokens: number;
        cost: string;
      };
    };
    EmbeddingsRequest: {
      model: string;
      input: string | string[] | number[] | number[][];
      encoding_format?: ('float' | 'base64') | null;
      dimensions?: number | null;
      user?: string | null;
    };
    EnableAutomaticTopUpRequest: {
      /** @description Dollars above zero, with at most nine decimal places. */
      threshold: string;
      /** @description Dollars in whole cents, within the bounds that GET /v1/billing/funding names. */
      amount: string;
      /** @description At least `amount`. */
      monthly_ceiling: string;
      /**
       * @description The customer agrees to `consent_text`.
       * @constant
       */
      consent: true;
    };
    EndedSessions: {
      /** @constant */
      object: 'ended_sessions';
      /** @description How many sessions lived until now, this one and those of devices included. */
      count: number;
    };
    /** @description What every error says. The sets of `type` and `code` change only with a version of the API. */
    ErrorFields: {
      /** @description For people. It may be reworded at any time: do not branch on it. */
      message: string;
      /** @enum {string} */
      type:
        | 'invalid_request_error'
        | 'authentication_error'
        | 'insufficient_funds'
        | 'access_denied'
        | 'rate_limit_error'
        | 'service_unavailable'
        | 'billing_error';
      /** @description The offending field or parameter, if it is known. */
      param: string | null;
      /** @enum {string} */
      code:
        | 'invalid_request_error'
        | 'authentication_error'
        | 'invalid_api_key'
        | 'expired_api_key'
        | 'insufficient_funds'
        | 'beta_access_required'
        | 'model_not_allowed'
        | 'model_not_found'
        | 'api_key_not_found'
        | 'idempotency_conflict'
        | 'idempotency_in_progress'
        | 'api_key_revoked'
        | 'request_too_large'
        | 'rate_limit_error'
        | 'spending_limit_exceeded'
        | 'internal_error'
        | 'billing_error'
        | 'service_unavailable'
        | 'upstream_timeout';
    };
    ExpiredApiKeyError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'authentication_error';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'expired_api_key';
      };
    };
    Funding: {
      /** @constant */
      object: 'funding';
      id: string;
      /** @description How it was paid: card, voucher, or manual or credit if the operator credited it. */
      method: string;
      /** @description US dollars, with nine decimal places. */
      amount: string;
      /** @constant */
      currency: 'usd';
      /** @description The entry of it in the transactions. */
      transaction_id: string;
      receipt_number: string | null;
      created_at: number;
    };
    FundingList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Funding'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
      methods: (
        | {
            /** @constant */
            type: 'manual';
          }
        | {
            /** @constant */
            type: 'card';
            /** @description US dollars, with nine decimal places. */
            min_amount: string;
            /** @description US dollars, with nine decimal places. */
            max_amount: string;
            /** @constant */
            currency: 'usd';
          }
      )[];
    };
    Health: {
      /** @constant */
      status: 'ok';
    };
    IdempotencyConflictError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'invalid_request_error';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'idempotency_conflict';
      };
    };
    IdempotencyInProgressError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'invalid_request_error';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'idempotency_in_progress';
      };
    };
    InsufficientFundsError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'insufficient_funds';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'insufficient_funds';
      };
    };
    InternalError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'service_unavailable';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'internal_error';
      };
    };
    InvalidApiKeyError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'authentication_error';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'invalid_api_key';
      };
    };
    InvalidRequestError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'invalid_request_error';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'invalid_request_error';
      };
    };
    Invoice: {
      /** @constant */
      object: 'invoice';
      /** @description Consecutive within a year, across the whole service. */
      number: string;
      /** @description The UTC calendar month, like 2026-10. */
      month: string;
      /** @description The sum of the lines. Negative if more was refunded than charged. */
      total: string;
      /** @description The same in whole cents, rounded half up. A negative amount is rounded like the positive one. */
      total_rounded: string;
      /** @description What was paid in during the month, for information. */
      top_ups: string;
      /** @constant */
      currency: 'usd';
      issued_at: number;
      /** @description The account as it was when this was issued. */
      customer: {
        name: string;
        email: string;
        /** @description Of the company or person that is billed. */
        legal_name: string | null;
        /** @description In lines. */
        address: string | null;
        /** @description As in ISO 3166-1, in two letters. */
        country: string | null;
        tax_id: string | null;
        /** @description The number of an order of yours. */
        purchase_order: string | null;
        billing_email: string | null;
      };
      /** @description The operator as they were when this was issued; null if they had not set it. */
      seller: {
        legal_name: string;
        /** @description In lines. */
        address: string | null;
        country: string | null;
        tax_id: string | null;
        billing_email: string | null;
      } | null;
      lines: {
        /**
         * @description A refund gives charges back.
         * @enum {string}
         */
        type: 'usage' | 'refund';
        model: string;
        requests: number;
        prompt_tokens: number;
        completion_tokens: number;
        /** @description Of the prompt tokens, as far as the model told. */
        cached_tokens: number;
        /** @description Of the prompt tokens, as far as the model told. */
        cache_write_tokens: number;
        /** @description Of the completion tokens, as far as the model told. */
        reasoning_tokens: number;
        /** @description The prices that were in force in the month, oldest first; none for a refund. Each request was charged at those of its admission, and its cost rounded up to a billionth of a dollar. */
        prices: {
          /** @description US dollars, with nine decimal places. */
          input: string;
          /** @description US dollars, with nine decimal places. */
          output: string;
          /** @description Of prompt tokens from a cache. Without it: that of `input`. */
          cached_input?: string;
          /** @description Of prompt tokens into a cache. Without it: that of `input`. */
          cache_write?: string;
          /** @description Of reasoning tokens. Without it: that of `output`. */
          reasoning?: string;
          /** @description Of an image of the prompt, beside its tokens. */
          image?: string;
          /** @description Of a request that is charged. */
          request?: string;
          /** @description If a request's prompt is longer than this, the step's prices apply to the whole request. */
          steps?: {
            above_prompt_tokens: number;
            /** @description US dollars, with nine decimal places. */
            input: string;
            /** @description US dollars, with nine decimal places. */
            output: string;
            /** @description Of prompt tokens from a cache. Without it: that of `input`. */
            cached_input?: string;
            /** @description Of prompt tokens into a cache. Without it: that of `input`. */
            cache_write?: string;
            /** @description Of reasoning tokens. Without it: that of `output`. */
            reasoning?: string;
          }[];
          /** @constant */
          currency: 'usd';
          /** @constant */
          unit: '1M tokens';
          starts_at: number;
        }[];
        /** @description Negative for a refund. */
        amount: string;
      }[];
    };
    InvoiceList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['InvoiceSummary'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    InvoiceSummary: {
      /** @constant */
      object: 'invoice';
      /** @description Consecutive within a year, across the whole service. */
      number: string;
      /** @description The UTC calendar month, like 2026-10. */
      month: string;
      /** @description The sum of the lines. Negative if more was refunded than charged. */
      total: string;
      /** @description The same in whole cents, rounded half up. A negative amount is rounded like the positive one. */
      total_rounded: string;
      /** @description What was paid in during the month, for information. */
      top_ups: string;
      /** @constant */
      currency: 'usd';
      issued_at: number;
    };
    LedgerProof: {
      /** @constant */
      object: 'ledger_proof';
      transaction_id: string;
      /** @description The leaf: version, id, account, number, kind, from and to book, amount and balance after it in billionths of a dollar, refunded charge or `-`, and time, separated by spaces. The ids are UUIDs. */
      entry: string;
      /** @description From SHA-256 of a zero byte and the leaf to the root: each step is SHA-256 of a byte of one and both hashes, `hash` on its `side`. */
      path: {
        /** @enum {string} */
        side: 'left' | 'right';
        hash: string;
      }[];
      root: components['schemas']['LedgerRoot'];
    };
    LedgerRoot: {
      /** @constant */
      object: 'ledger_root';
      /**
       * Format: date
       * @description The UTC day whose entries it is over.
       */
      day: string;
      /** @description Of the Merkle tree over all entries of the day, in hex. */
      root: string;
      /** @description SHA-256 of the signed text of the day before, in hex; zeros for the first day. */
      previous: string;
      /** @description The Ed25519 key that signed it, in hex; null as long as it is not signed. */
      public_key: string | null;
      /** @description In hex, of these four lines, each with its end: `farebox ledger root 1`, `day …`, `root …`, `previous …`. */
      signature: string | null;
      closed_at: number;
    };
    LedgerRootList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['LedgerRoot'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    LinkRequest: {
      /** @constant */
      object: 'link_request';
      /** @description For how many seconds a link works that was sent. */
      expires_in: number;
    };
    MessageEvent:
      | {
          /** @constant */
          type: 'message_start';
          message: components['schemas']['CreatedMessage'];
        }
      | {
          /** @constant */
          type: 'content_block_start';
          index: number;
          content_block:
            | {
                /** @constant */
                type: 'text';
                text: string;
                citations?: {
                  /** @constant */
                  type: 'web_search_result_location';
                  url: string;
                  title: string | null;
                  /** @constant */
                  cited_text: '';
                  /** @constant */
                  encrypted_index: '';
                }[];
              }
            | {
                /** @constant */
                type: 'thinking';
                thinking: string;
                signature: string;
              }
            | {
                /** @constant */
                type: 'redacted_thinking';
                data: string;
              }
            | {
                /** @constant */
                type: 'tool_use';
                id: string;
                name: string;
                input: {
                  [key: string]: unknown;
                };
              };
        }
      | {
          /** @constant */
          type: 'content_block_delta';
          index: number;
          delta:
            | {
                /** @constant */
                type: 'text_delta';
                text: string;
              }
            | {
                /** @constant */
                type: 'thinking_delta';
                thinking: string;
              }
            | {
                /** @constant */
                type: 'signature_delta';
                signature: string;
              }
            | {
                /** @constant */
                type: 'input_json_delta';
                partial_json: string;
              }
            | {
                /** @constant */
                type: 'citations_delta';
                citation: {
                  /** @constant */
                  type: 'web_search_result_location';
                  url: string;
                  title: string | null;
                  /** @constant */
                  cited_text: '';
                  /** @constant */
                  encrypted_index: '';
                };
              };
        }
      | {
          /** @constant */
          type: 'content_block_stop';
          index: number;
        }
      | {
          /** @constant */
          type: 'message_delta';
          delta: {
            /** @enum {string} */
            stop_reason: 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'refusal';
            stop_sequence: string | null;
          };
          usage: {
            input_tokens: number;
            cache_creation_input_tokens: number;
            cache_read_input_tokens: number;
            output_tokens: number;
            output_tokens_details?: {
              thinking_tokens: number;
            };
            /** @description In US dollars. Not known while a stream begins. */
            cost?: string;
          };
        }
      | {
          /** @constant */
          type: 'message_stop';
        }
      | {
          /** @constant */
          type: 'ping';
        }
      | components['schemas']['MessagesError'];
    MessagesError: {
      /** @constant */
      type: 'error';
      error: {
        /** @enum {string} */
        type:
          | 'invalid_request_error'
          | 'authentication_error'
          | 'billing_error'
          | 'permission_error'
          | 'not_found_error'
          | 'request_too_large'
          | 'rate_limit_error'
          | 'timeout_error'
          | 'api_error'
          | 'overloaded_error';
        message: string;
        /**
         * @description The code of the service, as on every wire.
         * @enum {string}
         */
        code:
          | 'invalid_request_error'
          | 'authentication_error'
          | 'invalid_api_key'
          | 'expired_api_key'
          | 'insufficient_funds'
          | 'beta_access_required'
          | 'model_not_allowed'
          | 'model_not_found'
          | 'api_key_not_found'
          | 'idempotency_conflict'
          | 'idempotency_in_progress'
          | 'api_key_revoked'
          | 'request_too_large'
          | 'rate_limit_error'
          | 'spending_limit_exceeded'
          | 'internal_error'
          | 'billing_error'
          | 'service_unavailable'
          | 'upstream_timeout';
        param: string | null;
      };
      request_id?: string;
    };
    MessagesRequest: {
      model: string;
      messages: (
        | {
            /** @constant */
            role: 'user';
            content:
              | string
              | (
                  | (
                      | {
                          /** @constant */
                          type: 'text';
                          text: string;
                          cache_control?: {
                            /** @constant */
                            type: 'ephemeral';
                            ttl?: ('5m' | '1h') | null;
                          } | null;
                        }
                      | {
                          /** @constant */
                          type: 'image';
                          source:
                            | {
                                /** @constant */
                                type: 'base64';
                                /** @enum {string} */
                                media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
                                data: string;
                              }
                            | {
                                /** @constant */
                                type: 'url';
                                url: string;
                              }
                            | {
                                /** @constant */
                                type: 'file';
                                file_id: unknown;
                              };
                          cache_control?: {
                            /** @constant */
                            type: 'ephemeral';
                            ttl?: ('5m' | '1h') | null;
                          } | null;
                        }
                      | {
                          /** @constant */
                          type: 'document';
                          source:
                            | {
                                /** @constant */
                                type: 'base64';
                                /** @constant */
                                media_type: 'application/pdf';
                                data: string;
                              }
                            | {
                                /** @constant */
                                type: 'text';
                                /** @constant */
                                media_type: 'text/plain';
                                data: string;
                              }
                            | {
                                /** @constant */
                                type: 'content';
                                content:
                                  | string
                                  | (
                                      | {
                                          /** @constant */
                                          type: 'text';
                                          text: string;
                                          cache_control?: {
                                            /** @constant */
                                            type: 'ephemeral';
                                            ttl?: ('5m' | '1h') | null;
                                          } | null;
                                        }
                                      | {
                                          /** @constant */
                                          type: 'image';
                                          source:
                                            | {
                                                /** @constant */
                                                type: 'base64';
                                                /** @enum {string} */
                                                media_type:
                                                  'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
                                                data: string;
                                              }
                                            | {
                                                /** @constant */
                                                type: 'url';
                                                url: string;
                                              }
                                            | {
                                                /** @constant */
                                                type: 'file';
                                                file_id: unknown;
                                              };
                                          cache_control?: {
                                            /** @constant */
                                            type: 'ephemeral';
                                            ttl?: ('5m' | '1h') | null;
                                          } | null;
                                        }
                                    )[];
                              }
                            | {
                                /** @constant */
                                type: 'url';
                                url: unknown;
                              }
                            | {
                                /** @constant */
                                type: 'file';
                                file_id: unknown;
                              };
                          title?: string | null;
                          context?: string | null;
                          cache_control?: {
                            /** @constant */
                            type: 'ephemeral';
                            ttl?: ('5m' | '1h') | null;
                          } | null;
                        }
                      | {
                          /** @constant */
                          type: 'search_result';
                          source: string;
                          title: string;
                          content: {
                            /** @constant */
                            type: 'text';
                            text: string;
                            cache_control?: {
                              /** @constant */
                              type: 'ephemeral';
                              ttl?: ('5m' | '1h') | null;
                            } | null;
                          }[];
                          cache_control?: {
                            /** @constant */
                            type: 'ephemeral';
                            ttl?: ('5m' | '1h') | null;
                          } | null;
                        }
                      | {
                          /** @constant */
                          type: 'tool_result';
                          tool_use_id: string;
                          content?:
                            | (
                                | string
                                | (
                                    | (
                                        | {
                                            /** @constant */
                                            type: 'text';
                                            text: string;
                                            cache_control?: {
                                              /** @constant */
                                              type: 'ephemeral';
                                              ttl?: ('5m' | '1h') | null;
                                            } | null;
                                          }
                                        | {
                                            /** @constant */
                                            type: 'image';
                                            source:
                                              | {
                                                  /** @constant */
                                                  type: 'base64';
                                                  /** @enum {string} */
                                                  media_type:
                                                    'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
                                                  data: string;
                                                }
                                              | {
                                                  /** @constant */
                                                  type: 'url';
                                                  url: string;
                                                }
                                              | {
                                                  /** @constant */
                                                  type: 'file';
                                                  file_id: unknown;
                                                };
                                            cache_control?: {
                                              /** @constant */
                                              type: 'ephemeral';
                                              ttl?: ('5m' | '1h') | null;
                                            } | null;
                                          }
                                        | {
                                            /** @constant */
                                            type: 'document';
                                            source:
                                              | {
                                                  /** @constant */
                                                  type: 'base64';
                                                  /** @constant */
                                                  media_type: 'application/pdf';
                                                  data: string;
                                                }
                                              | {
                                                  /** @constant */
                                                  type: 'text';
                                                  /** @constant */
                                                  media_type: 'text/plain';
                                                  data: string;
                                                }
                                              | {
                                                  /** @constant */
                                                  type: 'content';
                                                  content:
                                                    | string
                                                    | (
                                                        | {
                                                            /** @constant */
                                                            type: 'text';
                                                            text: string;
                                                            cache_control?: {
                                                              /** @constant */
                                                              type: 'ephemeral';
                                                              ttl?: ('5m' | '1h') | null;
                                                            } | null;
                                                          }
                                                        | {
                                                            /** @constant */
                                                            type: 'image';
                                                            source:
                                                              | {
                                                                  /** @constant */
                                                                  type: 'base64';
                                                                  /** @enum {string} */
                                                                  media_type:
                                                                    | 'image/png'
                                                                    | 'image/jpeg'
                                                                    | 'image/gif'
                                                                    | 'image/webp';
                                                                  data: string;
                                                                }
                                                              | {
                                                                  /** @constant */
                                                                  type: 'url';
                                                                  url: string;
                                                                }
                                                              | {
                                                                  /** @constant */
                                                                  type: 'file';
                                                                  file_id: unknown;
                                                                };
                                                            cache_control?: {
                                                              /** @constant */
                                                              type: 'ephemeral';
                                                              ttl?: ('5m' | '1h') | null;
                                                            } | null;
                                                          }
                                                      )[];
                                                }
                                              | {
                                                  /** @constant */
                                                  type: 'url';
                                                  url: unknown;
                                                }
                                              | {
                                                  /** @constant */
                                                  type: 'file';
                                                  file_id: unknown;
                                                };
                                            title?: string | null;
                                            context?: string | null;
                                            cache_control?: {
                                              /** @constant */
                                              type: 'ephemeral';
                                              ttl?: ('5m' | '1h') | null;
                                            } | null;
                                          }
                                        | {
                                            /** @constant */
                                            type: 'search_result';
                                            source: string;
                                            title: string;
                                            content: {
                                              /** @constant */
                                              type: 'text';
                                              text: string;
                                              cache_control?: {
                                                /** @constant */
                                                type: 'ephemeral';
                                                ttl?: ('5m' | '1h') | null;
                                              } | null;
                                            }[];
                                            cache_control?: {
                                              /** @constant */
                                              type: 'ephemeral';
                                              ttl?: ('5m' | '1h') | null;
                                            } | null;
                                          }
                                        | {
                                            /** @constant */
                                            type: 'tool_reference';
                                            tool_name: string;
                                          }
                                      )
                                    | ({
                                        type: string;
                                      } & {
                                        [key: string]: unknown;
                                      })
                                  )[]
                              )
                            | null;
                          is_error?: boolean | null;
                          cache_control?: {
                            /** @constant */
                            type: 'ephemeral';
                            ttl?: ('5m' | '1h') | null;
                          } | null;
                        }
                    )
                  | ({
                      type: string;
                    } & {
                      [key: string]: unknown;
                    })
                )[];
          }
        | {
            /** @constant */
            role: 'assistant';
            content:
              | string
              | (
                  | (
                      | {
                          /** @constant */
                          type: 'text';
                          text: string;
                          cache_control?: {
                            /** @constant */
                            type: 'ephemeral';
                            ttl?: ('5m' | '1h') | null;
                          } | null;
                        }
                      | {
                          /** @constant */
                          type: 'thinking';
                          thinking: string;
                          signature?: string | null;
                        }
                      | {
                          /** @constant */
                          type: 'redacted_thinking';
                          data: string;
                        }
                      | {
                          /** @constant */
                          type: 'tool_use';
                          id: string;
                          name: string;
                          input: {
                            [key: string]: unknown;
                          };
                          cache_control?: {
                            /** @constant */
                            type: 'ephemeral';
                            ttl?: ('5m' | '1h') | null;
                          } | null;
                        }
                    )
                  | ({
                      type: string;
                    } & {
                      [key: string]: unknown;
                    })
                )[];
          }
        | {
            /** @constant */
            role: 'system';
            content:
              | string
              | {
                  /** @constant */
                  type: 'text';
                  text: string;
                  cache_control?: {
                    /** @constant */
                    type: 'ephemeral';
                    ttl?: ('5m' | '1h') | null;
                  } | null;
                }[];
          }
      )[];
      system?:
        | (
            | string
            | {
                /** @constant */
                type: 'text';
                text: string;
                cache_control?: {
                  /** @constant */
                  type: 'ephemeral';
                  ttl?: ('5m' | '1h') | null;
                } | null;
              }[]
          )
        | null;
      tools?:
        | (
            | {
                type?: 'custom' | null;
                name: string;
                description?: string | null;
                input_schema: {
                  [key: string]: unknown;
                };
                strict?: boolean | null;
                defer_loading?: boolean | null;
                cache_control?: {
                  /** @constant */
                  type: 'ephemeral';
                  ttl?: ('5m' | '1h') | null;
                } | null;
              }
            | {
                type: string;
                name?: string;
              }
          )[]
        | null;
      tool_choice?:
        | (
            | {
                /** @constant */
                type: 'auto';
                disable_parallel_tool_use?: boolean | null;
              }
            | {
                /** @constant */
                type: 'any';
                disable_parallel_tool_use?: boolean | null;
              }
            | {
                /** @constant */
                type: 'tool';
                name: string;
                disable_parallel_tool_use?: boolean | null;
              }
            | {
                /** @constant */
                type: 'none';
              }
          )
        | null;
      thinking?: {
        /** @enum {string} */
        type: 'enabled' | 'disabled' | 'adaptive' | 'between_tools';
        budget_tokens?: number | null;
        display?: ('summarized' | 'omitted' | 'updates') | null;
      } | null;
      output_config?: {
        effort?: ('low' | 'medium' | 'high' | 'xhigh' | 'max') | null;
        format?: {
          /** @constant */
          type: 'json_schema';
          schema: {
            [key: string]: unknown;
          };
        } | null;
      } | null;
      cache_control?: {
        /** @constant */
        type: 'ephemeral';
        ttl?: ('5m' | '1h') | null;
      } | null;
      max_tokens: number;
      stop_sequences?: string[] | null;
      temperature?: number | null;
      top_p?: number | null;
      stream?: boolean | null;
      metadata?: {
        user_id?: string | null;
      } | null;
      service_tier?: string | null;
    };
    Model: {
      id: string;
      /** @constant */
      object: 'model';
      created: number;
      owned_by: string;
      /**
       * @description What the model is for.
       * @enum {string}
       */
      kind: 'chat' | 'embeddings';
      /** @description The prices of a million tokens that are in force now. */
      pricing: {
        /** @description US dollars, with nine decimal places. */
        input: string;
        /** @description US dollars, with nine decimal places. */
        output: string;
        /** @description Of prompt tokens from a cache. Without it: that of `input`. */
        cached_input?: string;
        /** @description Of prompt tokens into a cache. Without it: that of `input`. */
        cache_write?: string;
        /** @description Of reasoning tokens. Without it: that of `output`. */
        reasoning?: string;
        /** @description Of an image of the prompt, beside its tokens. */
        image?: string;
        /** @description Of a request that is charged. */
        request?: string;
        /** @description If a request's prompt is longer than this, the step's prices apply to the whole request. */
        steps?: {
          above_prompt_tokens: number;
          /** @description US dollars, with nine decimal places. */
          input: string;
          /** @description US dollars, with nine decimal places. */
          output: string;
          /** @description Of prompt tokens from a cache. Without it: that of `input`. */
          cached_input?: string;
          /** @description Of prompt tokens into a cache. Without it: that of `input`. */
          cache_write?: string;
          /** @description Of reasoning tokens. Without it: that of `output`. */
          reasoning?: string;
        }[];
        /** @constant */
        currency: 'usd';
        /** @constant */
        unit: '1M tokens';
      };
      /** @description The most tokens that a prompt and its completion may have together; for embeddings, those of one input. */
      context_window: number;
      /** @description The most that a completion can have. A higher `max_tokens` is lowered to it. 0: embeddings have none. */
      max_output_tokens: number;
      input_modalities: ('text' | 'image' | 'file')[];
    };
    ModelList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Model'][];
    };
    ModelNotAllowedError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'invalid_request_error';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'model_not_allowed';
      };
    };
    ModelNotFoundError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'invalid_request_error';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'model_not_found';
      };
    };
    NewSession: {
      /** @constant */
      object: 'new_session';
      session_token: string;
      /** @description When the session ends at the latest. Without use it ends earlier. */
      expires_at: number;
    };
    PaymentReceipt: {
      /** @constant */
      object: 'payment_receipt';
      /** @description Consecutive within a year, across the whole service. */
      number: string;
      funding_id: string;
      transaction_id: string;
      /** @description How it was paid: card, or manual if the operator credited it. */
      method: string;
      /** @description US dollars, with nine decimal places. */
      amount: string;
      /** @description The same in whole cents, rounded half up. A negative amount is rounded like the positive one. */
      amount_rounded: string;
      /** @constant */
      currency: 'usd';
      /** @description The account as it was when this was issued. */
      customer: {
        name: string;
        email: string;
        /** @description Of the company or person that is billed. */
        legal_name: string | null;
        /** @description In lines. */
        address: string | null;
        /** @description As in ISO 3166-1, in two letters. */
        country: string | null;
        tax_id: string | null;
        /** @description The number of an order of yours. */
        purchase_order: string | null;
        billing_email: string | null;
      };
      /** @description The operator as they were when this was issued; null if they had not set it. */
      seller: {
        legal_name: string;
        /** @description In lines. */
        address: string | null;
        country: string | null;
        tax_id: string | null;
        billing_email: string | null;
      } | null;
      paid_at: number;
      issued_at: number;
    };
    PaymentReceiptList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['PaymentReceipt'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    Quote: {
      /** @constant */
      object: 'quote';
      model: string;
      /** @constant */
      currency: 'usd';
      /** @description The most that the request can cost, by the bytes of its prompt. So much is held, if there is room for it. */
      maximum_cost: string;
      /** @description What would be held now: less than `maximum_cost` if there is no room for that, but for what the counted prompt can cost. */
      hold: string;
      prompt_tokens: {
        /** @description No fewer than the prompt has. */
        bound: number;
        /** @description As the model's tokenizer counts; null if it has none here, or there was no time for it. */
        counted: number | null;
      };
      /** @description Of each choice. */
      max_output_tokens: number;
      choices: number;
      /** @description What the request costs with so much output: of the counted prompt if there is a count, uncached. */
      costs: {
        /** @description Of each choice. */
        output_tokens: number;
        /** @description US dollars, with nine decimal places. */
        cost: string;
      }[];
      /** @description What would refuse the request now: the first in this order. Null if it would be admitted. A request limit that is full refuses the quote itself. */
      binds:
        | (
            | 'account_day_requests'
            | 'account_day'
            | 'account_day_abandoned'
            | 'key_month'
            | 'balance'
            | 'limit_policy'
          )
        | null;
      limits: {
        /** @description Null for a key that does not show the account's limits. */
        balance: {
          /** @description US dollars, with nine decimal places. */
          balance: string;
          /** @description By requests that run and by reviews. */
          held: string;
          /** @description US dollars, with nine decimal places. */
          left: string;
          /** @description Requests of the account that run now. */
          running: number;
        } | null;
        /** @description Of the key; null if it has no limit of its own. */
        key_month: {
          /** @description US dollars, with nine decimal places. */
          limit: string;
          /** @description US dollars, with nine decimal places. */
          spent: string;
          /** @description By requests that run and by reviews. It counts as spent. */
          held: string;
          /** @description US dollars, with nine decimal places. */
          left: string;
          /** @description When it begins again. */
          opens_at: number;
        } | null;
        /** @description Null for a key that does not show the account's limits. */
        account_day: {
          /** @description US dollars, with nine decimal places. */
          limit: string;
          /** @description US dollars, with nine decimal places. */
          spent: string;
          /** @description By requests that run and by reviews. It counts as spent. */
          held: string;
          /** @description US dollars, with nine decimal places. */
          left: string;
          /** @description When it begins again. */
          opens_at: number;
          request_limit: number;
          requests: number;
        } | null;
        /** @description The limit that `binds` means by `limit_policy`: of those without room, the one that has room last. Null if none refuses the request, and for a limit of the account if the key does not show the account's limits. */
        policy: {
          /** @enum {string} */
          measure: 'requests' | 'tokens' | 'concurrency' | 'spend';
          /** @description The window, in UTC: a week begins on Monday, five hours at multiples of five hours since 1970. Null for concurrency. */
          per: ('minute' | 'five_hours' | 'day' | 'week' | 'month') | null;
          /**
           * @description Whose requests it counts: of all keys of the account, or of this key.
           * @enum {string}
           */
          of: 'account' | 'key';
          /** @description The model that it is for. Null: for all of them together. */
          model: string | null;
          /** @description US dollars for `spend`. */
          limit: number | string;
          /** @description What was used, and the most that requests under way can use. */
          used: number | string;
          /** @description The most that this request can use. */
          needed: number | string;
          left: number | string;
          /** @description When the window ends. Null for concurrency. */
          resets_at: number | null;
        } | null;
      };
    };
    RateLimitError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'rate_limit_error';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'rate_limit_error';
      };
    };
    Readiness: {
      /** @enum {string} */
      status: 'ready' | 'not_ready';
    };
    Receipt: {
      /** @constant */
      object: 'request';
      /** @description The id of the completion, if there was one. */
      id: string;
      /** @description The `X-Service-Request-Id` of the request. */
      request_id: string;
      /**
       * @description `running`: it is under way, and `hold` says what is held. `charged`: it cost `cost`. `refunded`: that was given back. `in_review`: `cost` was measured and is reserved until `review` is closed; then it is charged or released. `released`: the hold was given back without a charge. `refused`: it did not run. `failed`: nothing was delivered. The last three cost nothing.
       * @enum {string}
       */
      state: 'running' | 'charged' | 'refunded' | 'in_review' | 'released' | 'refused' | 'failed';
      model: string | null;
      key_public_id: string;
      /** @description Only while it runs. */
      hold: {
        /** @description The most that the request can cost. It is on the balance, and cannot be spent. */
        amount: string;
        since: number;
        /** @description By then it is charged, released or in review; null if the model is not served any more. */
        ends_by: number | null;
      } | null;
      /** @description What was measured; null if it runs, and if it cost nothing. */
      usage: {
        prompt_tokens: number;
        completion_tokens: number;
        total_tokens: number;
      } | null;
      /** @description In all. Refunds are not taken off. */
      cost: string;
      /** @description US dollars, with nine decimal places. */
      refunded: string;
      /** @constant */
      currency: 'usd';
      /** @description The cost of each kind, which together are `cost` exactly. The sum is rounded once, up to a billionth of a dollar: each line is rounded down, and the last kind has the rest. Empty if the prices are not known any more. */
      costs: {
        /**
         * @description `input` and `output` are what is left of the prompt and of the completion beside their other kinds. `over_hold`: what the tokens cost beyond what was held, which is not charged.
         * @enum {string}
         */
        kind:
          | 'input'
          | 'cached_input'
          | 'cache_write'
          | 'output'
          | 'reasoning'
          | 'image'
          | 'request'
          | 'over_hold';
        /** @description Tokens, images, or 1. */
        count: number;
        /** @description Of one `unit`. */
        price: string | null;
        unit: ('1M tokens' | 'image' | 'request') | null;
        /** @description Negative for `over_hold`. */
        cost: string;
      }[];
      price_version: {
        id: string;
        /** @description From when these prices were in force. */
        starts_at: number;
      } | null;
      /** @description How a request ended that was measured. */
      outcome:
        | ('completed' | 'client_gone' | 'upstream_failed' | 'upstream_timeout' | 'shutdown' | 'suspended')
        | null;
      /** @description Null while it runs. */
      streamed: boolean | null;
      /** @description The tokens are the service's own count: the model reported none. */
      estimated: boolean;
      latency_ms: number | null;
      first_token_ms: number | null;
      /** @description When it was charged, measured, released, or ended. Null while it runs. */
      ended_at: number | null;
      /** @description What a refused or failed request was answered with; null if the client had gone before. */
      error_code:
        | (
            | 'invalid_request_error'
            | 'authentication_error'
            | 'invalid_api_key'
            | 'expired_api_key'
            | 'insufficient_funds'
            | 'beta_access_required'
            | 'model_not_allowed'
            | 'model_not_found'
            | 'api_key_not_found'
            | 'idempotency_conflict'
            | 'idempotency_in_progress'
            | 'api_key_revoked'
            | 'request_too_large'
            | 'rate_limit_error'
            | 'spending_limit_exceeded'
            | 'internal_error'
            | 'billing_error'
            | 'service_unavailable'
            | 'upstream_timeout'
          )
        | null;
      /** @description The message of that error, for people. It may be cut, and is null if it was not kept. */
      error_message: string | null;
      /** @description The field that it named, if any. */
      error_param: string | null;
      /** @description The status of that response. */
      http_status: number | null;
      review: {
        /** @enum {string} */
        state: 'open' | 'closed';
        /** @enum {string} */
        reason: 'gateway_lost' | 'usage_over_hold' | 'usage_implausible' | 'charge_failed' | 'response_lost';
        /** @description What it is about, for people. It may be reworded at any time. */
        message: string;
        opened_at: number;
        closed_at: number | null;
      } | null;
      /** @description That the charge is in the ledger. Null if nothing was charged, and until its day has a root. */
      proof: components['schemas']['LedgerProof'] | null;
    };
    RedeemVoucherRequest: {
      /** @description In any case, with or without its hyphens. */
      code: string;
    };
    RegisterDeviceRequest: {
      name: string;
      /** @description What the machine runs, in the words of its client: "linux-x64". */
      platform: string;
    };
    RenameDeviceRequest: {
      name: string;
    };
    RequestLinkRequest: {
      /** @description Where the link is sent, if it is the address of an account. */
      email: string;
    };
    RequestTooLargeError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'invalid_request_error';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'request_too_large';
      };
    };
    ResponsesCompaction: {
      /** Format: starts_with */
      id: string;
      /** @constant */
      object: 'response.compaction';
      created_at: number;
      output: (
        | {
            /** @constant */
            type: 'message';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed' | 'incomplete';
            /** @constant */
            role: 'assistant';
            /** @enum {string} */
            phase?: 'commentary' | 'final_answer';
            content: (
              | {
                  /** @constant */
                  type: 'output_text';
                  text: string;
                  annotations: {
                    /** @constant */
                    type: 'url_citation';
                    start_index: number;
                    end_index: number;
                    url: string;
                    title: string;
                  }[];
                  logprobs: {
                    token: string;
                    logprob: number;
                    bytes: number[];
                    top_logprobs: {
                      token: string;
                      logprob: number;
                      bytes: number[];
                    }[];
                  }[];
                }
              | {
                  /** @constant */
                  type: 'refusal';
                  refusal: string;
                }
            )[];
          }
        | {
            /** @constant */
            type: 'function_call';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed' | 'incomplete';
            call_id: string;
            namespace?: string;
            name: string;
            arguments: string;
          }
        | {
            /** @constant */
            type: 'custom_tool_call';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed' | 'incomplete';
            call_id: string;
            namespace?: string;
            name: string;
            input: string;
          }
        | {
            /** @constant */
            type: 'local_shell_call';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed' | 'incomplete';
            call_id: string;
            action: {
              /** @constant */
              type: 'exec';
              command: string[];
              env: {
                [key: string]: string;
              };
              timeout_ms?: number;
              user?: string;
              working_directory?: string;
            };
          }
        | {
            /** @constant */
            type: 'shell_call';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed' | 'incomplete';
            call_id: string;
            action: {
              commands: string[];
              timeout_ms: number | null;
              max_output_length: number | null;
            };
            environment: null;
          }
        | {
            /** @constant */
            type: 'apply_patch_call';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed';
            call_id: string;
            operation:
              | {
                  /** @constant */
                  type: 'create_file';
                  path: string;
                  diff: string;
                }
              | {
                  /** @constant */
                  type: 'update_file';
                  path: string;
                  diff: string;
                }
              | {
                  /** @constant */
                  type: 'delete_file';
                  path: string;
                };
          }
        | {
            /** @constant */
            type: 'tool_search_call';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed' | 'incomplete';
            /** @constant */
            execution: 'client';
            call_id: string;
            arguments: {
              [key: string]: unknown;
            };
          }
        | {
            /** @constant */
            type: 'reasoning';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed' | 'incomplete';
            summary: {
              /** @constant */
              type: 'summary_text';
              text: string;
            }[];
            content: {
              /** @constant */
              type: 'reasoning_text';
              text: string;
            }[];
            encrypted_content?: string;
          }
        | {
            /** @constant */
            type: 'compaction';
            /** Format: starts_with */
            id: string;
            encrypted_content: string;
          }
      )[];
      usage: {
        input_tokens: number;
        input_tokens_details: {
          cached_tokens: number;
          cache_write_tokens: number;
        };
        output_tokens: number;
        output_tokens_details: {
          reasoning_tokens: number;
        };
        total_tokens: number;
        cost: string;
      };
    };
    ResponsesEvent:
      | {
          /** @constant */
          type: 'response.created';
          sequence_number: number;
          response: components['schemas']['ResponsesResponse'];
        }
      | {
          /** @constant */
          type: 'response.in_progress';
          sequence_number: number;
          response: components['schemas']['ResponsesResponse'];
        }
      | {
          /** @constant */
          type: 'response.completed';
          sequence_number: number;
          response: components['schemas']['ResponsesResponse'];
        }
      | {
          /** @constant */
          type: 'response.incomplete';
          sequence_number: number;
          response: components['schemas']['ResponsesResponse'];
        }
      | {
          /** @constant */
          type: 'response.failed';
          sequence_number: number;
          response: components['schemas']['ResponsesResponse'];
        }
      | {
          /** @constant */
          type: 'response.output_item.added';
          sequence_number: number;
          output_index: number;
          item:
            | {
                /** @constant */
                type: 'message';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed' | 'incomplete';
                /** @constant */
                role: 'assistant';
                /** @enum {string} */
                phase?: 'commentary' | 'final_answer';
                content: (
                  | {
                      /** @constant */
                      type: 'output_text';
                      text: string;
                      annotations: {
                        /** @constant */
                        type: 'url_citation';
                        start_index: number;
                        end_index: number;
                        url: string;
                        title: string;
                      }[];
                      logprobs: {
                        token: string;
                        logprob: number;
                        bytes: number[];
                        top_logprobs: {
                          token: string;
                          logprob: number;
                          bytes: number[];
                        }[];
                      }[];
                    }
                  | {
                      /** @constant */
                      type: 'refusal';
                      refusal: string;
                    }
                )[];
              }
            | {
                /** @constant */
                type: 'function_call';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed' | 'incomplete';
                call_id: string;
                namespace?: string;
                name: string;
                arguments: string;
              }
            | {
                /** @constant */
                type: 'custom_tool_call';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed' | 'incomplete';
                call_id: string;
                namespace?: string;
                name: string;
                input: string;
              }
            | {
                /** @constant */
                type: 'local_shell_call';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed' | 'incomplete';
                call_id: string;
                action: {
                  /** @constant */
                  type: 'exec';
                  command: string[];
                  env: {
                    [key: string]: string;
                  };
                  timeout_ms?: number;
                  user?: string;
                  working_directory?: string;
                };
              }
            | {
                /** @constant */
                type: 'shell_call';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed' | 'incomplete';
                call_id: string;
                action: {
                  commands: string[];
                  timeout_ms: number | null;
                  max_output_length: number | null;
                };
                environment: null;
              }
            | {
                /** @constant */
                type: 'apply_patch_call';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed';
                call_id: string;
                operation:
                  | {
                      /** @constant */
                      type: 'create_file';
                      path: string;
                      diff: string;
                    }
                  | {
                      /** @constant */
                      type: 'update_file';
                      path: string;
                      diff: string;
                    }
                  | {
                      /** @constant */
                      type: 'delete_file';
                      path: string;
                    };
              }
            | {
                /** @constant */
                type: 'tool_search_call';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed' | 'incomplete';
                /** @constant */
                execution: 'client';
                call_id: string;
                arguments: {
                  [key: string]: unknown;
                };
              }
            | {
                /** @constant */
                type: 'reasoning';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed' | 'incomplete';
                summary: {
                  /** @constant */
                  type: 'summary_text';
                  text: string;
                }[];
                content: {
                  /** @constant */
                  type: 'reasoning_text';
                  text: string;
                }[];
                encrypted_content?: string;
              }
            | {
                /** @constant */
                type: 'compaction';
                /** Format: starts_with */
                id: string;
                encrypted_content: string;
              };
        }
      | {
          /** @constant */
          type: 'response.output_item.done';
          sequence_number: number;
          output_index: number;
          item:
            | {
                /** @constant */
                type: 'message';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed' | 'incomplete';
                /** @constant */
                role: 'assistant';
                /** @enum {string} */
                phase?: 'commentary' | 'final_answer';
                content: (
                  | {
                      /** @constant */
                      type: 'output_text';
                      text: string;
                      annotations: {
                        /** @constant */
                        type: 'url_citation';
                        start_index: number;
                        end_index: number;
                        url: string;
                        title: string;
                      }[];
                      logprobs: {
                        token: string;
                        logprob: number;
                        bytes: number[];
                        top_logprobs: {
                          token: string;
                          logprob: number;
                          bytes: number[];
                        }[];
                      }[];
                    }
                  | {
                      /** @constant */
                      type: 'refusal';
                      refusal: string;
                    }
                )[];
              }
            | {
                /** @constant */
                type: 'function_call';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed' | 'incomplete';
                call_id: string;
                namespace?: string;
                name: string;
                arguments: string;
              }
            | {
                /** @constant */
                type: 'custom_tool_call';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed' | 'incomplete';
                call_id: string;
                namespace?: string;
                name: string;
                input: string;
              }
            | {
                /** @constant */
                type: 'local_shell_call';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed' | 'incomplete';
                call_id: string;
                action: {
                  /** @constant */
                  type: 'exec';
                  command: string[];
                  env: {
                    [key: string]: string;
                  };
                  timeout_ms?: number;
                  user?: string;
                  working_directory?: string;
                };
              }
            | {
                /** @constant */
                type: 'shell_call';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed' | 'incomplete';
                call_id: string;
                action: {
                  commands: string[];
                  timeout_ms: number | null;
                  max_output_length: number | null;
                };
                environment: null;
              }
            | {
                /** @constant */
                type: 'apply_patch_call';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed';
                call_id: string;
                operation:
                  | {
                      /** @constant */
                      type: 'create_file';
                      path: string;
                      diff: string;
                    }
                  | {
                      /** @constant */
                      type: 'update_file';
                      path: string;
                      diff: string;
                    }
                  | {
                      /** @constant */
                      type: 'delete_file';
                      path: string;
                    };
              }
            | {
                /** @constant */
                type: 'tool_search_call';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed' | 'incomplete';
                /** @constant */
                execution: 'client';
                call_id: string;
                arguments: {
                  [key: string]: unknown;
                };
              }
            | {
                /** @constant */
                type: 'reasoning';
                /** Format: starts_with */
                id: string;
                /** @enum {string} */
                status: 'in_progress' | 'completed' | 'incomplete';
                summary: {
                  /** @constant */
                  type: 'summary_text';
                  text: string;
                }[];
                content: {
                  /** @constant */
                  type: 'reasoning_text';
                  text: string;
                }[];
                encrypted_content?: string;
              }
            | {
                /** @constant */
                type: 'compaction';
                /** Format: starts_with */
                id: string;
                encrypted_content: string;
              };
        }
      | {
          /** @constant */
          type: 'response.content_part.added';
          sequence_number: number;
          item_id: string;
          output_index: number;
          content_index: number;
          part:
            | {
                /** @constant */
                type: 'output_text';
                text: string;
                annotations: {
                  /** @constant */
                  type: 'url_citation';
                  start_index: number;
                  end_index: number;
                  url: string;
                  title: string;
                }[];
                logprobs: {
                  token: string;
                  logprob: number;
                  bytes: number[];
                  top_logprobs: {
                    token: string;
                    logprob: number;
                    bytes: number[];
                  }[];
                }[];
              }
            | {
                /** @constant */
                type: 'refusal';
                refusal: string;
              }
            | {
                /** @constant */
                type: 'reasoning_text';
                text: string;
              };
        }
      | {
          /** @constant */
          type: 'response.content_part.done';
          sequence_number: number;
          item_id: string;
          output_index: number;
          content_index: number;
          part:
            | {
                /** @constant */
                type: 'output_text';
                text: string;
                annotations: {
                  /** @constant */
                  type: 'url_citation';
                  start_index: number;
                  end_index: number;
                  url: string;
                  title: string;
                }[];
                logprobs: {
                  token: string;
                  logprob: number;
                  bytes: number[];
                  top_logprobs: {
                    token: string;
                    logprob: number;
                    bytes: number[];
                  }[];
                }[];
              }
            | {
                /** @constant */
                type: 'refusal';
                refusal: string;
              }
            | {
                /** @constant */
                type: 'reasoning_text';
                text: string;
              };
        }
      | {
          /** @constant */
          type: 'response.output_text.delta';
          sequence_number: number;
          item_id: string;
          output_index: number;
          content_index: number;
          delta: string;
          logprobs: {
            token: string;
            logprob: number;
            bytes: number[];
            top_logprobs: {
              token: string;
              logprob: number;
              bytes: number[];
            }[];
          }[];
        }
      | {
          /** @constant */
          type: 'response.output_text.done';
          sequence_number: number;
          item_id: string;
          output_index: number;
          content_index: number;
          text: string;
          logprobs: {
            token: string;
            logprob: number;
            bytes: number[];
            top_logprobs: {
              token: string;
              logprob: number;
              bytes: number[];
            }[];
          }[];
        }
      | {
          /** @constant */
          type: 'response.output_text.annotation.added';
          sequence_number: number;
          item_id: string;
          output_index: number;
          content_index: number;
          annotation_index: number;
          annotation: {
            /** @constant */
            type: 'url_citation';
            start_index: number;
            end_index: number;
            url: string;
            title: string;
          };
        }
      | {
          /** @constant */
          type: 'response.refusal.delta';
          sequence_number: number;
          item_id: string;
          output_index: number;
          content_index: number;
          delta: string;
        }
      | {
          /** @constant */
          type: 'response.refusal.done';
          sequence_number: number;
          item_id: string;
          output_index: number;
          content_index: number;
          refusal: string;
        }
      | {
          /** @constant */
          type: 'response.reasoning_text.delta';
          sequence_number: number;
          item_id: string;
          output_index: number;
          content_index: number;
          delta: string;
        }
      | {
          /** @constant */
          type: 'response.reasoning_text.done';
          sequence_number: number;
          item_id: string;
          output_index: number;
          content_index: number;
          text: string;
        }
      | {
          /** @constant */
          type: 'response.reasoning_summary_part.added';
          sequence_number: number;
          item_id: string;
          output_index: number;
          summary_index: number;
          part: {
            /** @constant */
            type: 'summary_text';
            text: string;
          };
        }
      | {
          /** @constant */
          type: 'response.reasoning_summary_part.done';
          sequence_number: number;
          item_id: string;
          output_index: number;
          summary_index: number;
          part: {
            /** @constant */
            type: 'summary_text';
            text: string;
          };
        }
      | {
          /** @constant */
          type: 'response.reasoning_summary_text.delta';
          sequence_number: number;
          item_id: string;
          output_index: number;
          summary_index: number;
          delta: string;
        }
      | {
          /** @constant */
          type: 'response.reasoning_summary_text.done';
          sequence_number: number;
          item_id: string;
          output_index: number;
          summary_index: number;
          text: string;
        }
      | {
          /** @constant */
          type: 'response.function_call_arguments.delta';
          sequence_number: number;
          item_id: string;
          output_index: number;
          delta: string;
        }
      | {
          /** @constant */
          type: 'response.function_call_arguments.done';
          sequence_number: number;
          item_id: string;
          output_index: number;
          name: string;
          arguments: string;
        }
      | {
          /** @constant */
          type: 'response.custom_tool_call_input.delta';
          sequence_number: number;
          item_id: string;
          output_index: number;
          delta: string;
        }
      | {
          /** @constant */
          type: 'response.custom_tool_call_input.done';
          sequence_number: number;
          item_id: string;
          output_index: number;
          input: string;
        }
      | {
          /** @constant */
          type: 'error';
          sequence_number: number;
          code: string;
          message: string;
          param: string | null;
          error: {
            message: string;
            type: string;
            param: string | null;
            code: string;
          };
        };
    ResponsesRequest: {
      model: string;
      input:
        | string
        | (
            | (
                | (
                    | {
                        /** @constant */
                        type?: 'message';
                        id?: string | null;
                        status?: ('in_progress' | 'completed' | 'incomplete') | null;
                        phase?: ('commentary' | 'final_answer') | null;
                        /** @constant */
                        role: 'user';
                        content:
                          | string
                          | (
                              | {
                                  /** @constant */
                                  type: 'input_text';
                                  text: string;
                                }
                              | {
                                  /** @constant */
                                  type: 'input_image';
                                  file_id?: null;
                                  image_url: string;
                                  detail?: ('auto' | 'low' | 'high' | 'original') | null;
                                }
                              | {
                                  /** @constant */
                                  type: 'input_file';
                                  file_id?: null;
                                  file_url?: null;
                                  file_data: string;
                                  filename?: string | null;
                                }
                            )[];
                      }
                    | {
                        /** @constant */
                        type?: 'message';
                        id?: string | null;
                        status?: ('in_progress' | 'completed' | 'incomplete') | null;
                        phase?: ('commentary' | 'final_answer') | null;
                        /** @constant */
                        role: 'system';
                        content:
                          | string
                          | {
                              /** @constant */
                              type: 'input_text';
                              text: string;
                            }[];
                      }
                    | {
                        /** @constant */
                        type?: 'message';
                        id?: string | null;
                        status?: ('in_progress' | 'completed' | 'incomplete') | null;
                        phase?: ('commentary' | 'final_answer') | null;
                        /** @constant */
                        role: 'developer';
                        content:
                          | string
                          | {
                              /** @constant */
                              type: 'input_text';
                              text: string;
                            }[];
                      }
                    | {
                        /** @constant */
                        type?: 'message';
                        id?: string | null;
                        status?: ('in_progress' | 'completed' | 'incomplete') | null;
                        phase?: ('commentary' | 'final_answer') | null;
                        /** @constant */
                        role: 'assistant';
                        content:
                          | string
                          | (
                              | (
                                  | {
                                      /** @constant */
                                      type: 'input_text';
                                      text: string;
                                    }
                                  | {
                                      /** @constant */
                                      type: 'output_text';
                                      text: string;
                                      annotations?: unknown;
                                      logprobs?: unknown;
                                    }
                                  | {
                                      /** @constant */
                                      type: 'refusal';
                                      refusal: string;
                                    }
                                )
                              | ({
                                  type: string;
                                } & {
                                  [key: string]: unknown;
                                })
                            )[];
                      }
                  )
                | {
                    /** @constant */
                    type: 'function_call';
                    id?: string | null;
                    status?: ('in_progress' | 'completed' | 'incomplete') | null;
                    call_id: string;
                    namespace?: string | null;
                    name: string;
                    arguments: string;
                  }
                | {
                    /** @constant */
                    type: 'custom_tool_call';
                    id?: string | null;
                    status?: ('in_progress' | 'completed' | 'incomplete') | null;
                    call_id: string;
                    namespace?: string | null;
                    name: string;
                    input: string;
                  }
                | {
                    /** @enum {string} */
                    type: 'function_call_output' | 'custom_tool_call_output';
                    id?: string | null;
                    status?: ('in_progress' | 'completed' | 'incomplete') | null;
                    call_id: string;
                    output:
                      | string
                      | (
                          | (
                              | {
                                  /** @constant */
                                  type: 'input_text';
                                  text: string;
                                }
                              | {
                                  /** @constant */
                                  type: 'input_image';
                                  file_id?: null;
                                  image_url: string;
                                  detail?: ('auto' | 'low' | 'high' | 'original') | null;
                                }
                              | {
                                  /** @constant */
                                  type: 'input_file';
                                  file_id?: null;
                                  file_url?: null;
                                  file_data: string;
                                  filename?: string | null;
                                }
                            )
                          | ({
                              type: string;
                            } & {
                              [key: string]: unknown;
                            })
                        )[];
                  }
                | {
                    /** @constant */
                    type: 'reasoning';
                    id?: string | null;
                    status?: ('in_progress' | 'completed' | 'incomplete') | null;
                    summary?:
                      | {
                          /** @constant */
                          type: 'summary_text';
                          text: string;
                        }[]
                      | null;
                    content?:
                      | {
                          /** @enum {string} */
                          type: 'reasoning_text' | 'text';
                          text: string;
                        }[]
                      | null;
                    encrypted_content?: string | null;
                  }
                | {
                    /** @constant */
                    type: 'item_reference';
                    id: string;
                  }
                | {
                    /** @enum {string} */
                    type: 'additional_tools' | 'tool_search_output';
                    id?: string | null;
                    status?: ('in_progress' | 'completed' | 'incomplete') | null;
                    call_id?: string | null;
                    execution?: string | null;
                    tools?:
                      | (
                          | {
                              /** @constant */
                              type: 'function';
                              name: string;
                              description?: string | null;
                              parameters?: {
                                [key: string]: unknown;
                              } | null;
                              strict?: boolean | null;
                            }
                          | {
                              /** @constant */
                              type: 'custom';
                              name: string;
                              description?: string | null;
                              format?:
                                | (
                                    | {
                                        /** @constant */
                                        type: 'text';
                                      }
                                    | {
                                        /** @constant */
                                        type: 'grammar';
                                        /** @enum {string} */
                                        syntax: 'lark' | 'regex';
                                        definition: string;
                                      }
                                  )
                                | null;
                            }
                          | {
                              /** @constant */
                              type: 'namespace';
                              name: string;
                              description?: string | null;
                              tools: (
                                | {
                                    /** @constant */
                                    type: 'function';
                                    name: string;
                                    description?: string | null;
                                    parameters?: {
                                      [key: string]: unknown;
                                    } | null;
                                    strict?: boolean | null;
                                  }
                                | {
                                    /** @constant */
                                    type: 'custom';
                                    name: string;
                                    description?: string | null;
                                    format?:
                                      | (
                                          | {
                                              /** @constant */
                                              type: 'text';
                                            }
                                          | {
                                              /** @constant */
                                              type: 'grammar';
                                              /** @enum {string} */
                                              syntax: 'lark' | 'regex';
                                              definition: string;
                                            }
                                        )
                                      | null;
                                  }
                                | ({
                                    type: string;
                                  } & {
                                    [key: string]: unknown;
                                  })
                              )[];
                            }
                          | (
                              | {
                                  /** @constant */
                                  type: 'local_shell';
                                }
                              | {
                                  /** @constant */
                                  type: 'shell';
                                  environment?: {
                                    /** @constant */
                                    type: 'local';
                                  } | null;
                                }
                              | {
                                  /** @constant */
                                  type: 'apply_patch';
                                }
                              | {
                                  /** @constant */
                                  type: 'tool_search';
                                  /** @constant */
                                  execution: 'client';
                                  description?: string | null;
                                  parameters?: {
                                    [key: string]: unknown;
                                  } | null;
                                }
                            )
                          | ({
                              type: string;
                            } & {
                              [key: string]: unknown;
                            })
                        )[]
                      | null;
                  }
                | (
                    | {
                        /** @enum {string} */
                        type: 'local_shell_call' | 'shell_call';
                        id?: string | null;
                        status?: ('in_progress' | 'completed' | 'incomplete') | null;
                        call_id: string;
                        action: {
                          [key: string]: unknown;
                        };
                      }
                    | {
                        /** @constant */
                        type: 'apply_patch_call';
                        id?: string | null;
                        status?: ('in_progress' | 'completed' | 'incomplete') | null;
                        call_id: string;
                        operation: {
                          [key: string]: unknown;
                        };
                      }
                    | {
                        /** @constant */
                        type: 'tool_search_call';
                        id?: string | null;
                        status?: ('in_progress' | 'completed' | 'incomplete') | null;
                        call_id?: string | null;
                        execution?: string | null;
                        arguments: unknown;
                      }
                  )
                | {
                    /** @enum {string} */
                    type: 'local_shell_call_output' | 'shell_call_output' | 'apply_patch_call_output';
                    id?: string | null;
                    status?: string | null;
                    call_id?: string | null;
                    max_output_length?: number | null;
                    output: unknown;
                  }
                | {
                    /** @enum {string} */
                    type: 'compaction' | 'compaction_summary';
                    id?: string | null;
                    status?: ('in_progress' | 'completed' | 'incomplete') | null;
                    encrypted_content?: string | null;
                  }
                | {
                    /** @constant */
                    type: 'compaction_trigger';
                    id?: string | null;
                    status?: ('in_progress' | 'completed' | 'incomplete') | null;
                  }
              )
            | ({
                type: string;
              } & {
                [key: string]: unknown;
              })
          )[];
      instructions?: string | null;
      max_output_tokens?: number | null;
      temperature?: number | null;
      top_p?: number | null;
      frequency_penalty?: number | null;
      presence_penalty?: number | null;
      top_logprobs?: number | null;
      include?: string[] | null;
      tools?:
        | (
            | {
                /** @constant */
                type: 'function';
                name: string;
                description?: string | null;
                parameters?: {
                  [key: string]: unknown;
                } | null;
                strict?: boolean | null;
              }
            | {
                /** @constant */
                type: 'custom';
                name: string;
                description?: string | null;
                format?:
                  | (
                      | {
                          /** @constant */
                          type: 'text';
                        }
                      | {
                          /** @constant */
                          type: 'grammar';
                          /** @enum {string} */
                          syntax: 'lark' | 'regex';
                          definition: string;
                        }
                    )
                  | null;
              }
            | {
                /** @constant */
                type: 'namespace';
                name: string;
                description?: string | null;
                tools: (
                  | {
                      /** @constant */
                      type: 'function';
                      name: string;
                      description?: string | null;
                      parameters?: {
                        [key: string]: unknown;
                      } | null;
                      strict?: boolean | null;
                    }
                  | {
                      /** @constant */
                      type: 'custom';
                      name: string;
                      description?: string | null;
                      format?:
                        | (
                            | {
                                /** @constant */
                                type: 'text';
                              }
                            | {
                                /** @constant */
                                type: 'grammar';
                                /** @enum {string} */
                                syntax: 'lark' | 'regex';
                                definition: string;
                              }
                          )
                        | null;
                    }
                  | ({
                      type: string;
                    } & {
                      [key: string]: unknown;
                    })
                )[];
              }
            | (
                | {
                    /** @constant */
                    type: 'local_shell';
                  }
                | {
                    /** @constant */
                    type: 'shell';
                    environment?: {
                      /** @constant */
                      type: 'local';
                    } | null;
                  }
                | {
                    /** @constant */
                    type: 'apply_patch';
                  }
                | {
                    /** @constant */
                    type: 'tool_search';
                    /** @constant */
                    execution: 'client';
                    description?: string | null;
                    parameters?: {
                      [key: string]: unknown;
                    } | null;
                  }
              )
            | ({
                type: string;
              } & {
                [key: string]: unknown;
              })
          )[]
        | null;
      tool_choice?:
        | (
            | ('none' | 'auto' | 'required')
            | {
                /** @enum {string} */
                type: 'function' | 'custom';
                name: string;
              }
            | {
                /** @constant */
                type: 'allowed_tools';
                /** @enum {string} */
                mode: 'auto' | 'required';
                tools: (
                  | {
                      /** @enum {string} */
                      type: 'function' | 'custom';
                      name: string;
                    }
                  | ({
                      type: string;
                    } & {
                      [key: string]: unknown;
                    })
                )[];
              }
            | ({
                type: string;
              } & {
                [key: string]: unknown;
              })
          )
        | null;
      parallel_tool_calls?: boolean | null;
      text?: {
        format?:
          | (
              | {
                  /** @constant */
                  type: 'text';
                }
              | {
                  /** @constant */
                  type: 'json_object';
                }
              | {
                  /** @constant */
                  type: 'json_schema';
                  name: string;
                  description?: string | null;
                  schema?: {
                    [key: string]: unknown;
                  } | null;
                  strict?: boolean | null;
                }
            )
          | null;
        verbosity?: ('low' | 'medium' | 'high') | null;
      } | null;
      reasoning?: {
        effort?: ('none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max') | null;
        summary?: ('auto' | 'concise' | 'detailed' | 'none') | null;
        generate_summary?: ('auto' | 'concise' | 'detailed') | null;
      } | null;
      stream?: boolean | null;
      store?: boolean | null;
      metadata?: {
        [key: string]: string;
      } | null;
      user?: string | null;
      safety_identifier?: string | null;
      prompt_cache_key?: string | null;
      prompt_cache_retention?: string | null;
      service_tier?: string | null;
      truncation?: ('auto' | 'disabled') | null;
      max_tool_calls?: number | null;
      client_metadata?: {
        [key: string]: unknown;
      } | null;
      stream_options?: {
        include_obfuscation?: boolean | null;
      } | null;
      previous_response_id?: null;
      conversation?: null;
      prompt?: null;
      background?: false | null;
      moderation?: null;
    };
    ResponsesResponse: {
      /** Format: starts_with */
      id: string;
      /** @constant */
      object: 'response';
      created_at: number;
      completed_at: null;
      /** @enum {string} */
      status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
      error: {
        code: string;
        message: string;
      } | null;
      incomplete_details: {
        /** @enum {string} */
        reason: 'max_output_tokens' | 'content_filter';
      } | null;
      model: string;
      output: (
        | {
            /** @constant */
            type: 'message';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed' | 'incomplete';
            /** @constant */
            role: 'assistant';
            /** @enum {string} */
            phase?: 'commentary' | 'final_answer';
            content: (
              | {
                  /** @constant */
                  type: 'output_text';
                  text: string;
                  annotations: {
                    /** @constant */
                    type: 'url_citation';
                    start_index: number;
                    end_index: number;
                    url: string;
                    title: string;
                  }[];
                  logprobs: {
                    token: string;
                    logprob: number;
                    bytes: number[];
                    top_logprobs: {
                      token: string;
                      logprob: number;
                      bytes: number[];
                    }[];
                  }[];
                }
              | {
                  /** @constant */
                  type: 'refusal';
                  refusal: string;
                }
            )[];
          }
        | {
            /** @constant */
            type: 'function_call';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed' | 'incomplete';
            call_id: string;
            namespace?: string;
            name: string;
            arguments: string;
          }
        | {
            /** @constant */
            type: 'custom_tool_call';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed' | 'incomplete';
            call_id: string;
            namespace?: string;
            name: string;
            input: string;
          }
        | {
            /** @constant */
            type: 'local_shell_call';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed' | 'incomplete';
            call_id: string;
            action: {
              /** @constant */
              type: 'exec';
              command: string[];
              env: {
                [key: string]: string;
              };
              timeout_ms?: number;
              user?: string;
              working_directory?: string;
            };
          }
        | {
            /** @constant */
            type: 'shell_call';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed' | 'incomplete';
            call_id: string;
            action: {
              commands: string[];
              timeout_ms: number | null;
              max_output_length: number | null;
            };
            environment: null;
          }
        | {
            /** @constant */
            type: 'apply_patch_call';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed';
            call_id: string;
            operation:
              | {
                  /** @constant */
                  type: 'create_file';
                  path: string;
                  diff: string;
                }
              | {
                  /** @constant */
                  type: 'update_file';
                  path: string;
                  diff: string;
                }
              | {
                  /** @constant */
                  type: 'delete_file';
                  path: string;
                };
          }
        | {
            /** @constant */
            type: 'tool_search_call';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed' | 'incomplete';
            /** @constant */
            execution: 'client';
            call_id: string;
            arguments: {
              [key: string]: unknown;
            };
          }
        | {
            /** @constant */
            type: 'reasoning';
            /** Format: starts_with */
            id: string;
            /** @enum {string} */
            status: 'in_progress' | 'completed' | 'incomplete';
            summary: {
              /** @constant */
              type: 'summary_text';
              text: string;
            }[];
            content: {
              /** @constant */
              type: 'reasoning_text';
              text: string;
            }[];
            encrypted_content?: string;
          }
        | {
            /** @constant */
            type: 'compaction';
            /** Format: starts_with */
            id: string;
            encrypted_content: string;
          }
      )[];
      usage: {
        input_tokens: number;
        input_tokens_details: {
          cached_tokens: number;
          cache_write_tokens: number;
        };
        output_tokens: number;
        output_tokens_details: {
          reasoning_tokens: number;
        };
        total_tokens: number;
        cost: string;
      } | null;
      instructions: string | null;
      max_output_tokens: number | null;
      max_tool_calls: number | null;
      metadata: {
        [key: string]: string;
      };
      parallel_tool_calls: boolean;
      temperature: number;
      top_p: number;
      frequency_penalty: number;
      presence_penalty: number;
      top_logprobs: number;
      reasoning: {
        effort: string | null;
        summary: string | null;
      };
      text: {
        format: {
          /** @enum {string} */
          type: 'text' | 'json_object' | 'json_schema';
        } & {
          [key: string]: unknown;
        };
        /** @enum {string} */
        verbosity: 'low' | 'medium' | 'high';
      };
      tools: (
        | {
            /** @constant */
            type: 'function';
            name: string;
            description?: string | null;
            parameters?: {
              [key: string]: unknown;
            } | null;
            strict?: boolean | null;
          }
        | {
            /** @constant */
            type: 'custom';
            name: string;
            description?: string | null;
            format?:
              | (
                  | {
                      /** @constant */
                      type: 'text';
                    }
                  | {
                      /** @constant */
                      type: 'grammar';
                      /** @enum {string} */
                      syntax: 'lark' | 'regex';
                      definition: string;
                    }
                )
              | null;
          }
        | {
            /** @constant */
            type: 'namespace';
            name: string;
            description?: string | null;
            tools: (
              | {
                  /** @constant */
                  type: 'function';
                  name: string;
                  description?: string | null;
                  parameters?: {
                    [key: string]: unknown;
                  } | null;
                  strict?: boolean | null;
                }
              | {
                  /** @constant */
                  type: 'custom';
                  name: string;
                  description?: string | null;
                  format?:
                    | (
                        | {
                            /** @constant */
                            type: 'text';
                          }
                        | {
                            /** @constant */
                            type: 'grammar';
                            /** @enum {string} */
                            syntax: 'lark' | 'regex';
                            definition: string;
                          }
                      )
                    | null;
                }
              | ({
                  type: string;
                } & {
                  [key: string]: unknown;
                })
            )[];
          }
        | (
            | {
                /** @constant */
                type: 'local_shell';
              }
            | {
                /** @constant */
                type: 'shell';
                environment?: {
                  /** @constant */
                  type: 'local';
                } | null;
              }
            | {
                /** @constant */
                type: 'apply_patch';
              }
            | {
                /** @constant */
                type: 'tool_search';
                /** @constant */
                execution: 'client';
                description?: string | null;
                parameters?: {
                  [key: string]: unknown;
                } | null;
              }
          )
        | ({
            type: string;
          } & {
            [key: string]: unknown;
          })
      )[];
      tool_choice:
        | ('none' | 'auto' | 'required')
        | {
            /** @enum {string} */
            type: 'function' | 'custom';
            name: string;
          }
        | {
            /** @constant */
            type: 'allowed_tools';
            /** @enum {string} */
            mode: 'auto' | 'required';
            tools: (
              | {
                  /** @enum {string} */
                  type: 'function' | 'custom';
                  name: string;
                }
              | ({
                  type: string;
                } & {
                  [key: string]: unknown;
                })
            )[];
          }
        | ({
            type: string;
          } & {
            [key: string]: unknown;
          });
      /** @constant */
      truncation: 'disabled';
      previous_response_id: null;
      /** @constant */
      background: false;
      /** @constant */
      store: false;
      /** @constant */
      service_tier: 'default';
      user?: string;
      safety_identifier: string | null;
      prompt_cache_key: string | null;
    };
    RotateApiKeyRequest: {
      expires_at?: (number | string) | null;
    };
    Service: {
      /** @constant */
      object: 'service';
      /** @description What the operator calls it. */
      name: string;
      logo_url: string | null;
      /** @description Of buttons and links, if the operator has one. */
      accent_color: string | null;
      /** @description Whom customers ask. */
      support_email: string | null;
      /** @description Where the API is reached: the base of `/v1`. */
      base_url: string;
      /** @description Of the software. */
      version: string;
    };
    ServiceUnavailableError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'service_unavailable';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'service_unavailable';
      };
    };
    Session: {
      /** @constant */
      object: 'session';
      session_id: string;
      /** @description Whether it is the session of this request. */
      current: boolean;
      /** @description What the browser or program that signed in said of itself. */
      user_agent: string | null;
      /** @description The browser and the system that `user_agent` names. Null if it names none that is known. */
      browser: string | null;
      /** @description Where it signed in: the first 24 bits of an IPv4 address, or 48 of an IPv6 address. Null if that is not known. */
      network: string | null;
      /** @description The device that the session is bound to. */
      device_id: string | null;
      created_at: number;
      /** @description The last use, to the minute. */
      last_seen_at: number;
      /** @description When it ends where it is not used until then. */
      idle_expires_at: number;
      /** @description When it ends at the latest. */
      expires_at: number;
      revoked_at: number | null;
    };
    SessionList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Session'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    SpendCodeRequest: {
      /** @description As in the request for the link. */
      email: string;
      /** @description The code of the mail, in any case, with or without its hyphen. */
      code: string;
    };
    SpendingLimitExceededError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'rate_limit_error';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'spending_limit_exceeded';
      };
    };
    Statement: {
      /** @constant */
      object: 'statement';
      /** @description The UTC calendar month, like 2026-10. */
      month: string;
      /**
       * @description `open`: the month is not over, and the statement still changes.
       * @enum {string}
       */
      status: 'open' | 'closed';
      starts_at: number;
      /** @description The beginning of the next month. */
      ends_at: number;
      /** @constant */
      currency: 'usd';
      /** @description US dollars, with nine decimal places. */
      opening_balance: string;
      /** @description One of each type, in this order, with zeros if there was nothing. */
      lines: {
        /**
         * @description `credit` and `debit` are adjustments: what the operator gave, and what they or a payment that was taken back took.
         * @enum {string}
         */
        type: 'top_up' | 'charge' | 'refund' | 'credit' | 'debit';
        transactions: number;
        /** @description The change of the balance: negative for charges and debits. */
        amount: string;
      }[];
      /** @description The opening balance and all lines. */
      closing_balance: string;
    };
    StatementList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Statement'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    /** @description The last event of a stream that failed. No `[DONE]` follows it. */
    StreamFailure: {
      /** @constant */
      object: 'error';
      error: components['schemas']['ErrorFields'];
    };
    StripeEvent: {
      id: string;
      type: string;
    } & {
      [key: string]: unknown;
    };
    TokenCount: {
      input_tokens: number;
    };
    Transaction: {
      /** @constant */
      object: 'transaction';
      id: string;
      /** @enum {string} */
      type: 'top_up' | 'charge' | 'refund' | 'adjustment';
      /** @description US dollars, with nine decimal places. */
      amount: string;
      /** @constant */
      currency: 'usd';
      /** @description US dollars, with nine decimal places. */
      balance_after: string;
      refunded_transaction_id: string | null;
      /** @description Of a charge and its refund: the request, as `GET /v1/usage` lists it. Null once it is not kept any more. */
      usage_id: string | null;
      /** @description The `X-Service-Request-Id` of that request. */
      request_id: string | null;
      model: string | null;
      key_public_id: string | null;
      /** @description The name that this key has now; null without a key. */
      key_name: string | null;
      created_at: number;
    };
    TransactionList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Transaction'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    UpdateAccountRequest: {
      name?: string;
      language?: ('en' | 'de') | null;
      low_balance_threshold?: string | null;
    };
    UpdateApiKeyRequest: {
      name?: string;
      monthly_spend_limit?: string | null;
      expires_at?: (number | string) | null;
      model_policy?: {
        /** @enum {string} */
        mode: 'allow' | 'block';
        models: string[];
      } | null;
      allowed_origins?: string[] | null;
      shows_account_limits?: boolean | null;
      /** @description True switches the key off: it is refused from the next request on. False switches it on. */
      disabled?: boolean;
    };
    UpdateBillingDetailsRequest: {
      legal_name?: string | null;
      address?: string | null;
      country?: string | null;
      tax_id?: string | null;
      purchase_order?: string | null;
      billing_email?: string | null;
    };
    UpdateWebhookRequest: {
      /** @description Where events are sent: an https URL. */
      url?: string;
      description?: string | null;
      event_types?:
        | (
            | 'api_key.created'
            | 'api_key.changed'
            | 'api_key.rotated'
            | 'api_key.revoked'
            | 'spending_limit.reached'
            | 'usage_limit.reached'
            | 'balance.low'
            | 'funding.credited'
            | 'funding.reversed'
            | 'invoice.issued'
            | 'credit_note.issued'
            | 'review.opened'
            | 'review.resolved'
            | 'account.suspended'
            | 'account.reinstated'
          )[]
        | null;
      enabled?: boolean;
    };
    UpstreamTimeoutError: {
      error: {
        /** @description For people. It may be reworded at any time: do not branch on it. */
        message: string;
        /** @constant */
        type: 'service_unavailable';
        /** @description The offending field or parameter, if it is known. */
        param: string | null;
        /** @constant */
        code: 'upstream_timeout';
      };
    };
    UsageByApiKey: {
      /** @constant */
      object: 'usage_by_api_key';
      /** @description The beginning of the range, which belongs to it. */
      starts_at: number;
      /** @description The end of the range, which does not belong to it. */
      ends_at: number;
      /** @constant */
      currency: 'usd';
      totals: components['schemas']['UsageTotals'];
      /** @description At most the 1,000 keys that cost most. The totals are of all. */
      data: {
        key_public_id: string;
        name: string;
        /** @description The last four characters of its secret: names need not differ. */
        hint: string;
        /** @enum {string} */
        status: 'active' | 'disabled' | 'expired' | 'revoked';
        requests: number;
        prompt_tokens: number;
        completion_tokens: number;
        total_tokens: number;
        /** @description US dollars, with nine decimal places. */
        cost: string;
        /** @description Of the prompt tokens, as far as models told. */
        cached_tokens: number;
        /** @description Of the prompt tokens, as far as models told. */
        cache_write_tokens: number;
        /** @description Of the completion tokens, as far as models told. */
        reasoning_tokens: number;
      }[];
    };
    UsageByModel: {
      /** @constant */
      object: 'usage_by_model';
      /** @description The beginning of the range, which belongs to it. */
      starts_at: number;
      /** @description The end of the range, which does not belong to it. */
      ends_at: number;
      /** @constant */
      currency: 'usd';
      totals: components['schemas']['UsageTotals'];
      data: {
        model: string;
        requests: number;
        prompt_tokens: number;
        completion_tokens: number;
        total_tokens: number;
        /** @description US dollars, with nine decimal places. */
        cost: string;
        /** @description Of the prompt tokens, as far as models told. */
        cached_tokens: number;
        /** @description Of the prompt tokens, as far as models told. */
        cache_write_tokens: number;
        /** @description Of the completion tokens, as far as models told. */
        reasoning_tokens: number;
      }[];
    };
    UsageList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['UsageRecord'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    UsageRecord: {
      /** @constant */
      object: 'usage';
      /** @description The id of the completion, if there was one. */
      id: string;
      /** @description The `X-Service-Request-Id` of the request. */
      request_id: string;
      /** @description Null if the request was refused and named no model that the account may know. */
      model: string | null;
      key_public_id: string;
      /** @description The name that this key has now; null without a key. */
      key_name: string | null;
      prompt_tokens: number;
      completion_tokens: number;
      total_tokens: number;
      /** @description What was charged. A refund is a transaction of its own. */
      cost: string;
      /** @constant */
      currency: 'usd';
      /**
       * @description `refused`: it did not run. `failed`: it ran or was about to, and nothing was delivered. Both cost nothing.
       * @enum {string}
       */
      outcome:
        | 'completed'
        | 'client_gone'
        | 'upstream_failed'
        | 'upstream_timeout'
        | 'shutdown'
        | 'suspended'
        | 'failed'
        | 'refused';
      streamed: boolean;
      /** @description The tokens are the service's own count: the model reported none. */
      estimated: boolean;
      /** @description From the arrival of the request to the end of the answer. */
      latency_ms: number;
      /** @description To the first token of a stream; null where it is not known. */
      first_token_ms: number | null;
      /** @description When it was charged, or ended without a charge. */
      created_at: number;
      /** @description What a refused or failed request was answered with; null if the client had gone before. */
      error_code:
        | (
            | 'invalid_request_error'
            | 'authentication_error'
            | 'invalid_api_key'
            | 'expired_api_key'
            | 'insufficient_funds'
            | 'beta_access_required'
            | 'model_not_allowed'
            | 'model_not_found'
            | 'api_key_not_found'
            | 'idempotency_conflict'
            | 'idempotency_in_progress'
            | 'api_key_revoked'
            | 'request_too_large'
            | 'rate_limit_error'
            | 'spending_limit_exceeded'
            | 'internal_error'
            | 'billing_error'
            | 'service_unavailable'
            | 'upstream_timeout'
          )
        | null;
      /** @description The message of that error, for people. It may be cut, and is null if it was not kept. */
      error_message: string | null;
      /** @description The field that it named, if any. */
      error_param: string | null;
      /** @description The status of the response; null if the client had gone before. A stream that fails began with 200. */
      http_status: number | null;
      /** @description Of the prompt, read from a cache. Null if the model did not tell. */
      cached_tokens: number | null;
      /** @description Of the prompt, written to a cache. Null if the model did not tell. */
      cache_write_tokens: number | null;
      /** @description Of the completion. Null if the model did not tell. */
      reasoning_tokens: number | null;
    };
    UsageSummary: {
      /** @constant */
      object: 'usage_summary';
      /** @enum {string} */
      bucket: 'hour' | 'day';
      /** @description The beginning of the range, which belongs to it. */
      starts_at: number;
      /** @description The end of the range, which does not belong to it. */
      ends_at: number;
      /** @constant */
      currency: 'usd';
      totals: components['schemas']['UsageTotals'];
      /** @description Every hour or day of the range in order, with zeros where nothing was used. Days have 24 hours and begin when the range does; the last may be cut off by its end. */
      series: {
        starts_at: number;
        requests: number;
        prompt_tokens: number;
        completion_tokens: number;
        total_tokens: number;
        /** @description US dollars, with nine decimal places. */
        cost: string;
        /** @description Of the prompt tokens, as far as models told. */
        cached_tokens: number;
        /** @description Of the prompt tokens, as far as models told. */
        cache_write_tokens: number;
        /** @description Of the completion tokens, as far as models told. */
        reasoning_tokens: number;
      }[];
    };
    UsageTotals: {
      requests: number;
      prompt_tokens: number;
      completion_tokens: number;
      total_tokens: number;
      /** @description US dollars, with nine decimal places. */
      cost: string;
      /** @description Of the prompt tokens, as far as models told. */
      cached_tokens: number;
      /** @description Of the prompt tokens, as far as models told. */
      cache_write_tokens: number;
      /** @description Of the completion tokens, as far as models told. */
      reasoning_tokens: number;
    };
    Webhook: {
      /** @constant */
      object: 'webhook';
      webhook_id: string;
      url: string;
      description: string | null;
      /** @description The types of events that it gets; null if it gets all. */
      event_types: string[] | null;
      enabled: boolean;
      /** @description Why it gets nothing: it was switched off; nothing could be delivered for three days; or it answered 410. */
      disabled_reason: ('owner' | 'failures' | 'gone') | null;
      /** @description Attempts in a row that failed. */
      consecutive_failures: number;
      last_success_at: number | null;
      /** @description The secret before signs too for 24 hours from then on. */
      secret_rotated_at: number | null;
      created_at: number;
    };
    WebhookDelivery: {
      /** @constant */
      object: 'webhook_delivery';
      webhook_id: string;
      /** @description The `webhook-id` of all its attempts. */
      message_id: string;
      type: string;
      /** @enum {string} */
      status: 'pending' | 'delivered' | 'failed';
      attempts: number;
      /** @description The HTTP status of the last attempt. */
      response_status: number | null;
      /** @description Why the last attempt had no status. */
      error:
        | (
            | 'address_refused'
            | 'http_refused'
            | 'name_not_found'
            | 'connection_failed'
            | 'certificate_invalid'
            | 'timed_out'
          )
        | null;
      created_at: number;
      /** @description Null after the last one. */
      next_attempt_at: number | null;
      ended_at: number | null;
    };
    WebhookDeliveryList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['WebhookDelivery'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    WebhookList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Webhook'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    WebhookReceipt: {
      /** @constant */
      received: true;
    };
    WebhookTest: {
      /** @constant */
      object: 'webhook_test';
      webhook_id: string;
      /** @description Among the deliveries of the webhook. */
      message_id: string;
    };
    WebhookWithSecret: {
      /** @constant */
      object: 'webhook';
      webhook_id: string;
      url: string;
      description: string | null;
      /** @description The types of events that it gets; null if it gets all. */
      event_types: string[] | null;
      enabled: boolean;
      /** @description Why it gets nothing: it was switched off; nothing could be delivered for three days; or it answered 410. */
      disabled_reason: ('owner' | 'failures' | 'gone') | null;
      /** @description Attempts in a row that failed. */
      consecutive_failures: number;
      last_success_at: number | null;
      /** @description The secret before signs too for 24 hours from then on. */
      secret_rotated_at: number | null;
      created_at: number;
      secret: string;
    };
  };
  responses: {
    /** @description `api_key_revoked`: The key is revoked, and is not rotated or changed any more. */
    ApiKeyRevoked: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ApiKeyRevokedError'];
      };
    };
    /** @description `authentication_error`: No credential, or not one that this endpoint takes. */
    AuthenticationError: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['AuthenticationError'];
      };
    };
    /**
     * @description `authentication_error`: No credential, or not one that this endpoint takes.
     *
     *     `invalid_api_key`: The API key is not recognised: mistyped, replaced or revoked.
     *
     *     `expired_api_key`: The API key has passed its expiry.
     */
    AuthenticationErrorOrInvalidApiKeyOrExpiredApiKey: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json':
          | components['schemas']['AuthenticationError']
          | components['schemas']['InvalidApiKeyError']
          | components['schemas']['ExpiredApiKeyError'];
      };
    };
    /** @description `beta_access_required`: The credential is good, but the account has no access. Nothing was charged. */
    BetaAccessRequired: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['BetaAccessRequiredError'];
      };
    };
    /**
     * @description `billing_error`: The request was run, and its charge could not be recorded. Do not retry.
     *
     *     `internal_error`: The service failed. Retry with backoff.
     */
    BillingErrorOrInternalError: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        'Retry-After': components['headers']['Retry-After'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['BillingError'] | components['schemas']['InternalError'];
      };
    };
    /**
     * @description `idempotency_conflict`: The `Idempotency-Key` was used with another body.
     *
     *     `idempotency_in_progress`: The first request with this `Idempotency-Key` has not finished.
     */
    IdempotencyConflictOrIdempotencyInProgress: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        'Retry-After': components['headers']['Retry-After'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json':
          | components['schemas']['IdempotencyConflictError']
          | components['schemas']['IdempotencyInProgressError'];
      };
    };
    /** @description `insufficient_funds`: The balance does not cover the request's maximum cost. Nothing was held or charged. */
    InsufficientFunds: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['InsufficientFundsError'];
      };
    };
    /** @description `internal_error`: The service failed. Retry with backoff. */
    InternalError: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        'Retry-After': components['headers']['Retry-After'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['InternalError'];
      };
    };
    /**
     * @description `invalid_api_key`: The API key is not recognised: mistyped, replaced or revoked.
     *
     *     `expired_api_key`: The API key has passed its expiry.
     *
     *     `authentication_error`: No credential, or not one that this endpoint takes.
     */
    InvalidApiKeyOrExpiredApiKeyOrAuthenticationError: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json':
          | components['schemas']['InvalidApiKeyError']
          | components['schemas']['ExpiredApiKeyError']
          | components['schemas']['AuthenticationError'];
      };
    };
    /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
    InvalidRequestError: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['InvalidRequestError'];
      };
    };
    /**
     * @description `model_not_allowed`: The key's own list bars the model.
     *
     *     `beta_access_required`: The credential is good, but the account has no access. Nothing was charged.
     */
    ModelNotAllowedOrBetaAccessRequired: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json':
          components['schemas']['ModelNotAllowedError'] | components['schemas']['BetaAccessRequiredError'];
      };
    };
    /** @description `model_not_found`: The model does not exist or is not offered to the account. */
    ModelNotFound: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ModelNotFoundError'];
      };
    };
    /** @description `request_too_large`: The body is larger than the service accepts. */
    RequestTooLarge: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['RequestTooLargeError'];
      };
    };
    /** @description `service_unavailable`: The service cannot take the request now. Retry with backoff. */
    ServiceUnavailable: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        'Retry-After': components['headers']['Retry-After'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ServiceUnavailableError'];
      };
    };
    /** @description `upstream_timeout`: The model did not respond in time. */
    UpstreamTimeout: {
      headers: {
        'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
        'x-request-id': components['headers']['x-request-id'];
        'Cache-Control': components['headers']['Cache-Control'];
        'x-should-retry': components['headers']['x-should-retry'];
        'Retry-After': components['headers']['Retry-After'];
        Link: components['headers']['HelpLink'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['UpstreamTimeoutError'];
      };
    };
  };
  parameters: never;
  requestBodies: never;
  headers: {
    /**
     * @description The id under which the request was logged. Quote it to the operator.
     * @example req_01kag0s1wefxh8p2pt9vn4yzrq
     */
    'X-Service-Request-Id': string;
    /**
     * @description The same as `X-Service-Request-Id`, under the name that client libraries read.
     * @example req_01kag0s1wefxh8p2pt9vn4yzrq
     */
    'x-request-id': string;
    /**
     * @description Whether a client may send the same request again by itself.
     * @example false
     */
    'x-should-retry': 'true' | 'false';
    /**
     * @description Seconds to wait, if that is known.
     * @example 7
     */
    'Retry-After': number;
    /**
     * @description No answer that belongs to an account is kept by a cache.
     * @example no-store
     */
    'Cache-Control': 'no-store';
    /**
     * @description Requests permitted in the window.
     * @example 60
     */
    'X-RateLimit-Limit-Requests': number;
    /**
     * @description Requests left in the window.
     * @example 59
     */
    'X-RateLimit-Remaining-Requests': number;
    /**
     * @description Upper bound, in seconds, until capacity frees.
     * @example 60
     */
    'X-RateLimit-Reset-Requests': number;
    /**
     * @description Tokens permitted in the window, if there is a limit of tokens.
     * @example 100000
     */
    'X-RateLimit-Limit-Tokens': number;
    /**
     * @description Tokens left in the window. What runs, this request too, counts with the most that it can use.
     * @example 96500
     */
    'X-RateLimit-Remaining-Tokens': number;
    /**
     * @description Seconds until the window ends, and all of its tokens are there again.
     * @example 42
     */
    'X-RateLimit-Reset-Tokens': number;
    /**
     * @description On an answer that is given again for its `Idempotency-Key`, free of charge.
     * @example true
     */
    'Idempotent-Replayed': 'true';
    /**
     * @description Fields of the request that were left out, at most twenty, if there are any.
     * @example top_k, messages.cache_control
     */
    'X-Ignored-Fields': string;
    /**
     * @description The name under which the document is saved.
     * @example attachment; filename="INV-2026-000042.pdf"
     */
    'Content-Disposition': string;
    /**
     * @description Of the document, for `If-None-Match`.
     * @example "0d9f3bb58a63a9ff"
     */
    ETag: string;
    /**
     * @description The next page, with `rel="next"`, if there is one and the response is CSV.
     * @example </v1/usage?after=chatcmpl-01kag0s3hze6p9tz3cm7qj5wxe>; rel="next"
     */
    Link: string;
    /**
     * @description Where a browser goes on.
     * @example /
     */
    Location: string;
    /**
     * @description Sets or takes away the cookie `service_token`.
     * @example service_token=st-x; Path=/; HttpOnly; Secure; SameSite=Lax
     */
    'Set-Cookie': string;
    /**
     * @description The answer depends on the header `Accept`.
     * @example Accept
     */
    Vary: 'Accept';
    /**
     * @description The page about the error, with `rel="help"`.
     * @example </docs/errors/rate_limit_error>; rel="help"
     */
    HelpLink: string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  listModels: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The models. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelList'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationErrorOrInvalidApiKeyOrExpiredApiKey'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getModel: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a model.
         * @example farebox-small
         */
        model: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The model. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Model'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationErrorOrInvalidApiKeyOrExpiredApiKey'];
      403: components['responses']['ModelNotAllowedOrBetaAccessRequired'];
      /** @description `model_not_found`: The model does not exist or is not offered to the account. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelNotFoundError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createChatCompletion: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a retry safe: the client chooses a text, new for each request that is to run, the same for each retry of it.
         * @example order-4711-summary
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ChatCompletionRequest'];
      };
    };
    responses: {
      /** @description The completion: in one piece, or as a stream where `stream` is true. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'X-RateLimit-Limit-Requests': components['headers']['X-RateLimit-Limit-Requests'];
          'X-RateLimit-Remaining-Requests': components['headers']['X-RateLimit-Remaining-Requests'];
          'X-RateLimit-Reset-Requests': components['headers']['X-RateLimit-Reset-Requests'];
          'X-RateLimit-Limit-Tokens': components['headers']['X-RateLimit-Limit-Tokens'];
          'X-RateLimit-Remaining-Tokens': components['headers']['X-RateLimit-Remaining-Tokens'];
          'X-RateLimit-Reset-Tokens': components['headers']['X-RateLimit-Reset-Tokens'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ChatCompletion'];
          'text/event-stream': string;
        };
      };
      /** @description `invalid_request_error`: A field is not valid or not served, the prompt is longer than the context window, or the model does not take what is sent; `param` names the field. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationErrorOrInvalidApiKeyOrExpiredApiKey'];
      402: components['responses']['InsufficientFunds'];
      403: components['responses']['ModelNotAllowedOrBetaAccessRequired'];
      /** @description `model_not_found`: The model does not exist or is not offered to the account. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelNotFoundError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      409: components['responses']['IdempotencyConflictOrIdempotencyInProgress'];
      413: components['responses']['RequestTooLarge'];
      /**
       * @description `rate_limit_error`: Too many requests of the key in its window, too many at once, or a daily cap or a limit of the account is reached. Nothing was charged.
       *
       *     `spending_limit_exceeded`: The key's own limit of the month does not cover the request.
       */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          'X-RateLimit-Limit-Requests': components['headers']['X-RateLimit-Limit-Requests'];
          'X-RateLimit-Remaining-Requests': components['headers']['X-RateLimit-Remaining-Requests'];
          'X-RateLimit-Reset-Requests': components['headers']['X-RateLimit-Reset-Requests'];
          'X-RateLimit-Limit-Tokens': components['headers']['X-RateLimit-Limit-Tokens'];
          'X-RateLimit-Remaining-Tokens': components['headers']['X-RateLimit-Remaining-Tokens'];
          'X-RateLimit-Reset-Tokens': components['headers']['X-RateLimit-Reset-Tokens'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            components['schemas']['RateLimitError'] | components['schemas']['SpendingLimitExceededError'];
        };
      };
      500: components['responses']['BillingErrorOrInternalError'];
      503: components['responses']['ServiceUnavailable'];
      504: components['responses']['UpstreamTimeout'];
    };
  };
  createMessage: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a retry safe: the client chooses a text, new for each request that is to run, the same for each retry of it.
         * @example order-4711-summary
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['MessagesRequest'];
      };
    };
    responses: {
      /** @description The message: in one piece, or as a stream if `stream` is true. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'X-RateLimit-Limit-Requests': components['headers']['X-RateLimit-Limit-Requests'];
          'X-RateLimit-Remaining-Requests': components['headers']['X-RateLimit-Remaining-Requests'];
          'X-RateLimit-Reset-Requests': components['headers']['X-RateLimit-Reset-Requests'];
          'X-RateLimit-Limit-Tokens': components['headers']['X-RateLimit-Limit-Tokens'];
          'X-RateLimit-Remaining-Tokens': components['headers']['X-RateLimit-Remaining-Tokens'];
          'X-RateLimit-Reset-Tokens': components['headers']['X-RateLimit-Reset-Tokens'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedMessage'];
          'text/event-stream': string;
        };
      };
      /** @description `invalid_request_error`: A field is not valid or not served, the prompt is longer than the context window, or the model does not take what is sent; `param` names the field. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /**
       * @description `authentication_error`: No credential, or not one that this endpoint takes.
       *
       *     `invalid_api_key`: The API key is not recognised: mistyped, replaced or revoked.
       *
       *     `expired_api_key`: The API key has passed its expiry.
       */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /** @description `insufficient_funds`: The balance does not cover the request's maximum cost. Nothing was held or charged. */
      402: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /**
       * @description `model_not_allowed`: The key's own list bars the model.
       *
       *     `beta_access_required`: The credential is good, but the account has no access. Nothing was charged.
       */
      403: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /** @description `model_not_found`: The model does not exist or is not offered to the account. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /**
       * @description `idempotency_conflict`: The `Idempotency-Key` was used with another body.
       *
       *     `idempotency_in_progress`: The first request with this `Idempotency-Key` has not finished.
       */
      409: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /** @description `request_too_large`: The body is larger than the service accepts. */
      413: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /**
       * @description `rate_limit_error`: Too many requests of the key in its window, too many at once, or a daily cap or a limit of the account is reached. Nothing was charged.
       *
       *     `spending_limit_exceeded`: The key's own limit of the month does not cover the request.
       */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          'X-RateLimit-Limit-Requests': components['headers']['X-RateLimit-Limit-Requests'];
          'X-RateLimit-Remaining-Requests': components['headers']['X-RateLimit-Remaining-Requests'];
          'X-RateLimit-Reset-Requests': components['headers']['X-RateLimit-Reset-Requests'];
          'X-RateLimit-Limit-Tokens': components['headers']['X-RateLimit-Limit-Tokens'];
          'X-RateLimit-Remaining-Tokens': components['headers']['X-RateLimit-Remaining-Tokens'];
          'X-RateLimit-Reset-Tokens': components['headers']['X-RateLimit-Reset-Tokens'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /**
       * @description `billing_error`: The request was run, and its charge could not be recorded. Do not retry.
       *
       *     `internal_error`: The service failed. Retry with backoff.
       */
      500: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /** @description `service_unavailable`: The service cannot take the request now. Retry with backoff. */
      503: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /** @description `upstream_timeout`: The model did not respond in time. */
      504: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
    };
  };
  countMessageTokens: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CountTokensRequest'];
      };
    };
    responses: {
      /** @description The count. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'X-RateLimit-Limit-Requests': components['headers']['X-RateLimit-Limit-Requests'];
          'X-RateLimit-Remaining-Requests': components['headers']['X-RateLimit-Remaining-Requests'];
          'X-RateLimit-Reset-Requests': components['headers']['X-RateLimit-Reset-Requests'];
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TokenCount'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /**
       * @description `authentication_error`: No credential, or not one that this endpoint takes.
       *
       *     `invalid_api_key`: The API key is not recognised: mistyped, replaced or revoked.
       *
       *     `expired_api_key`: The API key has passed its expiry.
       */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /**
       * @description `model_not_allowed`: The key's own list bars the model.
       *
       *     `beta_access_required`: The credential is good, but the account has no access. Nothing was charged.
       */
      403: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /** @description `model_not_found`: The model does not exist or is not offered to the account. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /** @description `request_too_large`: The body is larger than the service accepts. */
      413: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /** @description `rate_limit_error`: Too many requests, or too many at once. None of them was charged. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          'X-RateLimit-Limit-Requests': components['headers']['X-RateLimit-Limit-Requests'];
          'X-RateLimit-Remaining-Requests': components['headers']['X-RateLimit-Remaining-Requests'];
          'X-RateLimit-Reset-Requests': components['headers']['X-RateLimit-Reset-Requests'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /** @description `internal_error`: The service failed. Retry with backoff. */
      500: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
      /** @description `service_unavailable`: The service cannot take the request now. Retry with backoff. */
      503: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessagesError'];
        };
      };
    };
  };
  createResponse: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a retry safe: the client chooses a text, new for each request that is to run, the same for each retry of it.
         * @example order-4711-summary
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ResponsesRequest'];
      };
    };
    responses: {
      /** @description The response: in one piece, or as a stream if `stream` is true. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'X-RateLimit-Limit-Requests': components['headers']['X-RateLimit-Limit-Requests'];
          'X-RateLimit-Remaining-Requests': components['headers']['X-RateLimit-Remaining-Requests'];
          'X-RateLimit-Reset-Requests': components['headers']['X-RateLimit-Reset-Requests'];
          'X-RateLimit-Limit-Tokens': components['headers']['X-RateLimit-Limit-Tokens'];
          'X-RateLimit-Remaining-Tokens': components['headers']['X-RateLimit-Remaining-Tokens'];
          'X-RateLimit-Reset-Tokens': components['headers']['X-RateLimit-Reset-Tokens'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResponsesResponse'];
          'text/event-stream': string;
        };
      };
      /** @description `invalid_request_error`: A field is not valid or not served, the prompt is longer than the context window, or the model does not take what is sent; `param` names the field. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationErrorOrInvalidApiKeyOrExpiredApiKey'];
      402: components['responses']['InsufficientFunds'];
      403: components['responses']['ModelNotAllowedOrBetaAccessRequired'];
      /** @description `model_not_found`: The model does not exist or is not offered to the account. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelNotFoundError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      409: components['responses']['IdempotencyConflictOrIdempotencyInProgress'];
      413: components['responses']['RequestTooLarge'];
      /**
       * @description `rate_limit_error`: Too many requests of the key in its window, too many at once, or a daily cap or a limit of the account is reached. Nothing was charged.
       *
       *     `spending_limit_exceeded`: The key's own limit of the month does not cover the request.
       */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          'X-RateLimit-Limit-Requests': components['headers']['X-RateLimit-Limit-Requests'];
          'X-RateLimit-Remaining-Requests': components['headers']['X-RateLimit-Remaining-Requests'];
          'X-RateLimit-Reset-Requests': components['headers']['X-RateLimit-Reset-Requests'];
          'X-RateLimit-Limit-Tokens': components['headers']['X-RateLimit-Limit-Tokens'];
          'X-RateLimit-Remaining-Tokens': components['headers']['X-RateLimit-Remaining-Tokens'];
          'X-RateLimit-Reset-Tokens': components['headers']['X-RateLimit-Reset-Tokens'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            components['schemas']['RateLimitError'] | components['schemas']['SpendingLimitExceededError'];
        };
      };
      500: components['responses']['BillingErrorOrInternalError'];
      503: components['responses']['ServiceUnavailable'];
      504: components['responses']['UpstreamTimeout'];
    };
  };
  compactResponse: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a retry safe: the client chooses a text, new for each request that is to run, the same for each retry of it.
         * @example order-4711-summary
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ResponsesRequest'];
      };
    };
    responses: {
      /** @description The item that stands for the conversation. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'X-RateLimit-Limit-Requests': components['headers']['X-RateLimit-Limit-Requests'];
          'X-RateLimit-Remaining-Requests': components['headers']['X-RateLimit-Remaining-Requests'];
          'X-RateLimit-Reset-Requests': components['headers']['X-RateLimit-Reset-Requests'];
          'X-RateLimit-Limit-Tokens': components['headers']['X-RateLimit-Limit-Tokens'];
          'X-RateLimit-Remaining-Tokens': components['headers']['X-RateLimit-Remaining-Tokens'];
          'X-RateLimit-Reset-Tokens': components['headers']['X-RateLimit-Reset-Tokens'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResponsesCompaction'];
        };
      };
      /** @description `invalid_request_error`: A field is not valid or not served, the prompt is longer than the context window, or the model does not take what is sent; `param` names the field. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationErrorOrInvalidApiKeyOrExpiredApiKey'];
      402: components['responses']['InsufficientFunds'];
      403: components['responses']['ModelNotAllowedOrBetaAccessRequired'];
      /** @description `model_not_found`: The model does not exist or is not offered to the account. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelNotFoundError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      409: components['responses']['IdempotencyConflictOrIdempotencyInProgress'];
      413: components['responses']['RequestTooLarge'];
      /**
       * @description `rate_limit_error`: Too many requests of the key in its window, too many at once, or a daily cap or a limit of the account is reached. Nothing was charged.
       *
       *     `spending_limit_exceeded`: The key's own limit of the month does not cover the request.
       */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          'X-RateLimit-Limit-Requests': components['headers']['X-RateLimit-Limit-Requests'];
          'X-RateLimit-Remaining-Requests': components['headers']['X-RateLimit-Remaining-Requests'];
          'X-RateLimit-Reset-Requests': components['headers']['X-RateLimit-Reset-Requests'];
          'X-RateLimit-Limit-Tokens': components['headers']['X-RateLimit-Limit-Tokens'];
          'X-RateLimit-Remaining-Tokens': components['headers']['X-RateLimit-Remaining-Tokens'];
          'X-RateLimit-Reset-Tokens': components['headers']['X-RateLimit-Reset-Tokens'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            components['schemas']['RateLimitError'] | components['schemas']['SpendingLimitExceededError'];
        };
      };
      500: components['responses']['BillingErrorOrInternalError'];
      503: components['responses']['ServiceUnavailable'];
      504: components['responses']['UpstreamTimeout'];
    };
  };
  createEmbeddings: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a retry safe: the client chooses a text, new for each request that is to run, the same for each retry of it.
         * @example order-4711-summary
         */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EmbeddingsRequest'];
      };
    };
    responses: {
      /** @description The embeddings, in the order of the inputs. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'X-RateLimit-Limit-Requests': components['headers']['X-RateLimit-Limit-Requests'];
          'X-RateLimit-Remaining-Requests': components['headers']['X-RateLimit-Remaining-Requests'];
          'X-RateLimit-Reset-Requests': components['headers']['X-RateLimit-Reset-Requests'];
          'X-RateLimit-Limit-Tokens': components['headers']['X-RateLimit-Limit-Tokens'];
          'X-RateLimit-Remaining-Tokens': components['headers']['X-RateLimit-Remaining-Tokens'];
          'X-RateLimit-Reset-Tokens': components['headers']['X-RateLimit-Reset-Tokens'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmbeddingsList'];
        };
      };
      /** @description `invalid_request_error`: A field is not valid, an input is longer than the context window, or the model is not for embeddings; `param` names the field. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationErrorOrInvalidApiKeyOrExpiredApiKey'];
      402: components['responses']['InsufficientFunds'];
      403: components['responses']['ModelNotAllowedOrBetaAccessRequired'];
      /** @description `model_not_found`: The model does not exist or is not offered to the account. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelNotFoundError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      409: components['responses']['IdempotencyConflictOrIdempotencyInProgress'];
      413: components['responses']['RequestTooLarge'];
      /**
       * @description `rate_limit_error`: Too many requests of the key in its window, too many at once, or a daily cap or a limit of the account is reached. Nothing was charged.
       *
       *     `spending_limit_exceeded`: The key's own limit of the month does not cover the request.
       */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          'X-RateLimit-Limit-Requests': components['headers']['X-RateLimit-Limit-Requests'];
          'X-RateLimit-Remaining-Requests': components['headers']['X-RateLimit-Remaining-Requests'];
          'X-RateLimit-Reset-Requests': components['headers']['X-RateLimit-Reset-Requests'];
          'X-RateLimit-Limit-Tokens': components['headers']['X-RateLimit-Limit-Tokens'];
          'X-RateLimit-Remaining-Tokens': components['headers']['X-RateLimit-Remaining-Tokens'];
          'X-RateLimit-Reset-Tokens': components['headers']['X-RateLimit-Reset-Tokens'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            components['schemas']['RateLimitError'] | components['schemas']['SpendingLimitExceededError'];
        };
      };
      500: components['responses']['BillingErrorOrInternalError'];
      503: components['responses']['ServiceUnavailable'];
      504: components['responses']['UpstreamTimeout'];
    };
  };
  createQuote: {
    parameters: {
      query?: {
        /** @description Of which endpoint the body is a request: `chat` of `/v1/chat/completions`, and so on. */
        wire?: 'chat' | 'responses' | 'messages' | 'embeddings';
        /** @description Lengths of a completion, in tokens of each choice, whose cost is wanted: `100,500,2000`. */
        output_tokens?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ChatCompletionRequest'];
      };
    };
    responses: {
      /** @description The quote. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'X-RateLimit-Limit-Requests': components['headers']['X-RateLimit-Limit-Requests'];
          'X-RateLimit-Remaining-Requests': components['headers']['X-RateLimit-Remaining-Requests'];
          'X-RateLimit-Reset-Requests': components['headers']['X-RateLimit-Reset-Requests'];
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Quote'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationErrorOrInvalidApiKeyOrExpiredApiKey'];
      403: components['responses']['ModelNotAllowedOrBetaAccessRequired'];
      404: components['responses']['ModelNotFound'];
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      413: components['responses']['RequestTooLarge'];
      /** @description `rate_limit_error`: Too many requests, or too many at once. None of them was charged. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          'X-RateLimit-Limit-Requests': components['headers']['X-RateLimit-Limit-Requests'];
          'X-RateLimit-Remaining-Requests': components['headers']['X-RateLimit-Remaining-Requests'];
          'X-RateLimit-Reset-Requests': components['headers']['X-RateLimit-Reset-Requests'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getAccount: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The account. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Account'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateAccount: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateAccountRequest'];
      };
    };
    responses: {
      /** @description The account after the change. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Account'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `authentication_error`: No session, or the session of a device: it cannot change the account. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      413: components['responses']['RequestTooLarge'];
      /** @description `rate_limit_error`: The account has reached its limit of changes to itself, its keys and its devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listAccountLimits: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The limits; none if the operator has set none. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountLimitList'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listAccountModels: {
    parameters: {
      query?: {
        /** @description Only the model for a first request: the cheapest chat model of those that most of the active API keys may use. The list is empty if there is none. */
        only?: 'cheapest_chat';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The models, in the order of the catalogue. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountModelList'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listAccountEvents: {
    parameters: {
      query?: {
        /** @description How many records the page has at most. */
        limit?: number;
        /** @description The id of the last record of the page before. */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the events. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountEventList'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listApiKeys: {
    parameters: {
      query?: {
        /** @description How many records the page has at most. */
        limit?: number;
        /** @description The id of the last record of the page before. */
        after?: string;
        /** @description Keys of this status alone. */
        status?: 'active' | 'disabled' | 'expired' | 'revoked';
        /** @description Keys whose name has this in it, in any case, or whose `hint` is this. */
        search?: string;
        /** @description Also the playground's key, which is not listed otherwise. */
        include?: 'playground';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the keys. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKeyList'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createApiKey: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateApiKeyRequest'];
      };
    };
    responses: {
      /** @description The record, with the key. */
      201: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKeyWithSecret'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      413: components['responses']['RequestTooLarge'];
      /** @description `rate_limit_error`: The account has made as many keys as it may in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getApiKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The public id of an API key.
         * @example key_01kag0s1wefxh8p2pt9vn4yzrq
         */
        key_public_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKey'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `api_key_not_found`: There is no such key on the account. A key of another account answers the same. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKeyNotFoundError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  revokeApiKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The public id of an API key.
         * @example key_01kag0s1wefxh8p2pt9vn4yzrq
         */
        key_public_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The revoked record. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKey'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `api_key_not_found`: There is no such key on the account. A key of another account answers the same. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKeyNotFoundError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateApiKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The public id of an API key.
         * @example key_01kag0s1wefxh8p2pt9vn4yzrq
         */
        key_public_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateApiKeyRequest'];
      };
    };
    responses: {
      /** @description The record after the change. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKey'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `api_key_not_found`: There is no such key on the account. A key of another account answers the same. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKeyNotFoundError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      409: components['responses']['ApiKeyRevoked'];
      413: components['responses']['RequestTooLarge'];
      /** @description `rate_limit_error`: The account has reached its limit of changes to itself, its keys and its devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  rotateApiKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The public id of an API key.
         * @example key_01kag0s1wefxh8p2pt9vn4yzrq
         */
        key_public_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['RotateApiKeyRequest'];
      };
    };
    responses: {
      /** @description The record, with the new key. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKeyWithSecret'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `api_key_not_found`: There is no such key on the account. A key of another account answers the same. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKeyNotFoundError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      409: components['responses']['ApiKeyRevoked'];
      413: components['responses']['RequestTooLarge'];
      /** @description `rate_limit_error`: The account has reached its limit of changes to itself, its keys and its devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  obtainPlaygroundKey: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record, with the key. */
      201: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKeyWithSecret'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `rate_limit_error`: The account has reached its limit of changes to itself, its keys and its devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listUsage: {
    parameters: {
      query?: {
        /** @description How many records the page has at most. */
        limit?: number;
        /** @description The id of the last record of the page before. */
        after?: string;
        /** @description Unix seconds, or ISO 8601: a day, which begins in UTC, or a time with its zone, like `2026-11-01T09:00+01:00`. */
        start?: string;
        /** @description Unix seconds, or ISO 8601: a day, which begins in UTC, or a time with its zone, like `2026-11-01T09:00+01:00`. */
        end?: string;
        /** @description The form of the response. It wins over `Accept`, so that a link is enough. */
        format?: 'json' | 'csv';
        model?: string;
        /** @description Usage of this API key alone. It may be a revoked one. */
        key_public_id?: string;
        /** @description Requests that ended like this; `all` for refused and failed ones too. Without it: those that were charged. */
        outcome?:
          | 'completed'
          | 'client_gone'
          | 'upstream_failed'
          | 'upstream_timeout'
          | 'shutdown'
          | 'suspended'
          | 'failed'
          | 'refused'
          | 'all';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description As JSON, or as CSV if `format` or `Accept` asks for it. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          'Content-Disposition': components['headers']['Content-Disposition'];
          Link: components['headers']['Link'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UsageList'];
          'text/csv': string;
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  summarizeUsage: {
    parameters: {
      query?: {
        /** @description Unix seconds, or ISO 8601: a day, which begins in UTC, or a time with its zone, like `2026-11-01T09:00+01:00`. */
        start?: string;
        /** @description Unix seconds, or ISO 8601: a day, which begins in UTC, or a time with its zone, like `2026-11-01T09:00+01:00`. */
        end?: string;
        /** @description The form of the response. It wins over `Accept`, so that a link is enough. */
        format?: 'json' | 'csv';
        model?: string;
        /** @description Usage of this API key alone. It may be a revoked one. */
        key_public_id?: string;
        /** @description The length of the steps of the series. The range is widened to whole ones, in UTC. */
        bucket?: 'hour' | 'day';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description As JSON, or as CSV if `format` or `Accept` asks for it. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          'Content-Disposition': components['headers']['Content-Disposition'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UsageSummary'];
          'text/csv': string;
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listUsageByModel: {
    parameters: {
      query?: {
        /** @description Unix seconds, or ISO 8601: a day, which begins in UTC, or a time with its zone, like `2026-11-01T09:00+01:00`. */
        start?: string;
        /** @description Unix seconds, or ISO 8601: a day, which begins in UTC, or a time with its zone, like `2026-11-01T09:00+01:00`. */
        end?: string;
        /** @description The form of the response. It wins over `Accept`, so that a link is enough. */
        format?: 'json' | 'csv';
        model?: string;
        /** @description Usage of this API key alone. It may be a revoked one. */
        key_public_id?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description As JSON, or as CSV if `format` or `Accept` asks for it. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          'Content-Disposition': components['headers']['Content-Disposition'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UsageByModel'];
          'text/csv': string;
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listUsageByApiKey: {
    parameters: {
      query?: {
        /** @description Unix seconds, or ISO 8601: a day, which begins in UTC, or a time with its zone, like `2026-11-01T09:00+01:00`. */
        start?: string;
        /** @description Unix seconds, or ISO 8601: a day, which begins in UTC, or a time with its zone, like `2026-11-01T09:00+01:00`. */
        end?: string;
        /** @description The form of the response. It wins over `Accept`, so that a link is enough. */
        format?: 'json' | 'csv';
        model?: string;
        /** @description Usage of this API key alone. It may be a revoked one. */
        key_public_id?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description As JSON, or as CSV if `format` or `Accept` asks for it. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          'Content-Disposition': components['headers']['Content-Disposition'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UsageByApiKey'];
          'text/csv': string;
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getUsage: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a request, as its completion was answered with.
         * @example chatcmpl-01kag0s3hze6p9tz3cm7qj5wxe
         */
        usage_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UsageRecord'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such request of the account, or it is no longer kept. The response for a request of another account is the same. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getRequest: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a request, of its completion, or one that its client gave it.
         * @example req_01kag0s3hze6p9tz3cm7qj5wxe
         */
        request_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The receipt. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Receipt'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['InvalidApiKeyOrExpiredApiKeyOrAuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such request of the account or of the key, or it is no longer kept. The response for a request of another account is the same. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getBalance: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The balance, what is held of it, and what is available. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Balance'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listTransactions: {
    parameters: {
      query?: {
        /** @description How many records the page has at most. */
        limit?: number;
        /** @description The id of the last record of the page before. */
        after?: string;
        /** @description Unix seconds, or ISO 8601: a day, which begins in UTC, or a time with its zone, like `2026-11-01T09:00+01:00`. */
        start?: string;
        /** @description Unix seconds, or ISO 8601: a day, which begins in UTC, or a time with its zone, like `2026-11-01T09:00+01:00`. */
        end?: string;
        /** @description The form of the response. It wins over `Accept`, so that a link is enough. */
        format?: 'json' | 'csv';
        type?: 'top_up' | 'charge' | 'refund' | 'adjustment';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the transactions: as JSON, or as CSV if `format` or `Accept` asks for it. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          'Content-Disposition': components['headers']['Content-Disposition'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransactionList'];
          'text/csv': string;
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listLedgerRoots: {
    parameters: {
      query?: {
        /** @description How many records the page has at most. */
        limit?: number;
        /** @description The last day of the page before. */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the roots. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LedgerRootList'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
    };
  };
  getTransactionProof: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a transaction, `txn_…`.
         * @example txn_01kag0s3hze6p9tz3cm7qj5wxe
         */
        transaction_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The proof. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LedgerProof'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such transaction of the account, or its day has no root yet. A day gets its root soon after it is over. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listInvoices: {
    parameters: {
      query?: {
        /** @description How many records the page has at most. */
        limit?: number;
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the invoices, without their lines. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvoiceList'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getInvoice: {
    parameters: {
      query?: {
        /** @description The form of the response. It wins over `Accept`, so that a link is enough. */
        format?: 'json' | 'html' | 'pdf';
      };
      header?: never;
      path: {
        /**
         * @description The number of an invoice.
         * @example INV-2026-000042
         */
        number: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The invoice. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          'Content-Disposition': components['headers']['Content-Disposition'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Invoice'];
          'text/html': string;
          'application/pdf': string;
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such invoice on the account. An invoice of another account gets the same response. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listPaymentReceipts: {
    parameters: {
      query?: {
        /** @description How many records the page has at most. */
        limit?: number;
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the receipts. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentReceiptList'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getPaymentReceipt: {
    parameters: {
      query?: {
        /** @description The form of the response. It wins over `Accept`, so that a link is enough. */
        format?: 'json' | 'html' | 'pdf';
      };
      header?: never;
      path: {
        /**
         * @description Number of a receipt, `REC-…`.
         * @example REC-2026-000042
         */
        receipt_number: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The receipt. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          'Content-Disposition': components['headers']['Content-Disposition'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentReceipt'];
          'text/html': string;
          'application/pdf': string;
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such receipt on the account. A receipt of another account gets the same response. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listCreditNotes: {
    parameters: {
      query?: {
        /** @description How many records the page has at most. */
        limit?: number;
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the credit notes. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreditNoteList'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getCreditNote: {
    parameters: {
      query?: {
        /** @description The form of the response. It wins over `Accept`, so that a link is enough. */
        format?: 'json' | 'html' | 'pdf';
      };
      header?: never;
      path: {
        /**
         * @description Number of a credit note, `CRN-…`.
         * @example CRN-2026-000042
         */
        credit_note_number: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The credit note. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          'Content-Disposition': components['headers']['Content-Disposition'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreditNote'];
          'text/html': string;
          'application/pdf': string;
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such credit note on the account. One of another account gets the same response. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listStatements: {
    parameters: {
      query?: {
        /** @description How many records the page has at most. */
        limit?: number;
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the statements. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StatementList'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getStatement: {
    parameters: {
      query?: {
        /** @description The form of the response. It wins over `Accept`, so that a link is enough. */
        format?: 'json' | 'csv';
      };
      header?: never;
      path: {
        /**
         * @description A UTC calendar month.
         * @example 2026-10
         */
        month: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The statement: as JSON, or as CSV if `format` or `Accept` asks for it. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          Vary: components['headers']['Vary'];
          'Content-Disposition': components['headers']['Content-Disposition'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Statement'];
          'text/csv': string;
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: The month is before the account's first transaction, or after the present one. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listFunding: {
    parameters: {
      query?: {
        /** @description How many records the page has at most. */
        limit?: number;
        /** @description The id of the last record of the page before. */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the top-ups, and the ways that are switched on. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FundingList'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createCheckout: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateCheckoutRequest'];
      };
    };
    responses: {
      /** @description Where to pay. */
      201: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Checkout'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: Card payments are not switched on. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      413: components['responses']['RequestTooLarge'];
      /** @description `rate_limit_error`: The account has begun as many payments as it may in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getCheckout: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Id of a payment by card, `chk_…`.
         * @example chk_01kag0rzc2f4ct1k8x6n0v9bdm
         */
        checkout_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The state. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CheckoutStatus'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such payment of the account, or card payments are not switched on. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  receiveStripeEvent: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Stripe's signature of the body.
         * @example t=1795262400,v1=0000
         */
        'Stripe-Signature': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['StripeEvent'];
      };
    };
    responses: {
      /** @description The event is recorded. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookReceipt'];
        };
      };
      /** @description `invalid_request_error`: The signature or the event is not valid. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `invalid_request_error`: Card payments are not switched on. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      413: components['responses']['RequestTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getBillingDetails: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The details. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BillingDetails'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateBillingDetails: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateBillingDetailsRequest'];
      };
    };
    responses: {
      /** @description The details after the change. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BillingDetails'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `authentication_error`: No session, or the session of a device: it cannot change the details. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      413: components['responses']['RequestTooLarge'];
      /** @description `rate_limit_error`: The account has reached its limit of changes to itself, its keys and its devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getAutomaticTopUp: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is set, the saved card, and the last payment. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AutomaticTopUp'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: Card payments are not switched on. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  enableAutomaticTopUp: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EnableAutomaticTopUpRequest'];
      };
    };
    responses: {
      /** @description It is on. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AutomaticTopUp'];
        };
      };
      /** @description `invalid_request_error`: A value is not valid, or there is no saved card. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `authentication_error`: No session, or the session of a device: it cannot order payments. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: Card payments are not switched on. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      413: components['responses']['RequestTooLarge'];
      /** @description `rate_limit_error`: The account has reached its limit of changes to itself, its keys and its devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  disableAutomaticTopUp: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is off. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AutomaticTopUp'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      /** @description `authentication_error`: No session, or the session of a device: it cannot order payments. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: Card payments are not switched on. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `rate_limit_error`: The account has reached its limit of changes to itself, its keys and its devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createCardSetup: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Where to enter the card. */
      201: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CardSetup'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      /** @description `authentication_error`: No session, or the session of a device: it cannot order payments. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: Card payments are not switched on. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `rate_limit_error`: The account has begun as many pages as it may in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  removeCard: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description There is no saved card. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AutomaticTopUp'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      /** @description `authentication_error`: No session, or the session of a device: it cannot order payments. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: Card payments are not switched on. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `rate_limit_error`: The account has reached its limit of changes to itself, its keys and its devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  redeemVoucher: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RedeemVoucherRequest'];
      };
    };
    responses: {
      /** @description The top-up that the voucher has made. It has no receipt, since nothing was paid. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Funding'];
        };
      };
      /** @description `invalid_request_error`: No voucher can be redeemed with this code: it is mistyped, has expired, was withdrawn, or was redeemed by another account. Or the account has redeemed as many vouchers of this kind as it may. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      413: components['responses']['RequestTooLarge'];
      /** @description `rate_limit_error`: The account, or its network, has tried too many codes. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listDevices: {
    parameters: {
      query?: {
        /** @description How many records the page has at most. */
        limit?: number;
        /** @description The id of the last record of the page before. */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the devices. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeviceList'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getDevice: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a device.
         * @example dev_01kag0s1wefxh8p2pt9vn4yzrq
         */
        device_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Device'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such device on the account. A device of another account gets the same response. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  registerDevice: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RegisterDeviceRequest'];
      };
    };
    responses: {
      /** @description The record. */
      201: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Device'];
        };
      };
      /** @description `invalid_request_error`: A field is not valid, or the account has the maximum number of devices. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `authentication_error`: No session, or the session of a device: it cannot manage other devices than its own. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      413: components['responses']['RequestTooLarge'];
      /** @description `rate_limit_error`: The account has reached its limit of new devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  startDeviceSession: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a device.
         * @example dev_01kag0s1wefxh8p2pt9vn4yzrq
         */
        device_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The session. */
      201: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeviceSession'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid, or the device is revoked. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `authentication_error`: No session, or the session of a device: it cannot manage other devices than its own. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such device on the account. A device of another account gets the same response. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `rate_limit_error`: The account has reached its limit of changes to itself, its keys and its devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  sendDeviceHeartbeat: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Device'];
        };
      };
      /** @description `invalid_request_error`: The session is not bound to a device. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  renameDevice: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a device.
         * @example dev_01kag0s1wefxh8p2pt9vn4yzrq
         */
        device_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RenameDeviceRequest'];
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Device'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid, or the device is revoked. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `authentication_error`: No session, or the session of a device: it cannot manage other devices than its own. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such device on the account. A device of another account gets the same response. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      413: components['responses']['RequestTooLarge'];
      /** @description `rate_limit_error`: The account has reached its limit of changes to itself, its keys and its devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  revokeDevice: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a device.
         * @example dev_01kag0s1wefxh8p2pt9vn4yzrq
         */
        device_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The revoked record. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Device'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      /** @description `authentication_error`: No session, or the session of a device: it cannot manage other devices than its own. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such device on the account. A device of another account gets the same response. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listWebhooks: {
    parameters: {
      query?: {
        /** @description How many records the page has at most. */
        limit?: number;
        /** @description The id of the last record of the page before. */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the webhooks. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookList'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateWebhookRequest'];
      };
    };
    responses: {
      /** @description The record, with the secret. */
      201: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookWithSecret'];
        };
      };
      /** @description `invalid_request_error`: A field is not valid, or the account has the maximum number of webhooks. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `authentication_error`: No session, or the session of a device: it cannot manage webhooks. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      413: components['responses']['RequestTooLarge'];
      /** @description `rate_limit_error`: The account has reached its limit of changes to itself, its keys and its devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook.
         * @example hook_01kag0s4d6f8h0k2n4q6s8v0x2
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Webhook'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such webhook on the account. A webhook of another account gets the same response. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook.
         * @example hook_01kag0s4d6f8h0k2n4q6s8v0x2
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is deleted. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeletedWebhook'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      /** @description `authentication_error`: No session, or the session of a device: it cannot manage webhooks. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such webhook on the account. A webhook of another account gets the same response. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `rate_limit_error`: The account has reached its limit of changes to itself, its keys and its devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook.
         * @example hook_01kag0s4d6f8h0k2n4q6s8v0x2
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateWebhookRequest'];
      };
    };
    responses: {
      /** @description The record after the change. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Webhook'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `authentication_error`: No session, or the session of a device: it cannot manage webhooks. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such webhook on the account. A webhook of another account gets the same response. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      413: components['responses']['RequestTooLarge'];
      /** @description `rate_limit_error`: The account has reached its limit of changes to itself, its keys and its devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  rotateWebhookSecret: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook.
         * @example hook_01kag0s4d6f8h0k2n4q6s8v0x2
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record, with the new secret. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookWithSecret'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      /** @description `authentication_error`: No session, or the session of a device: it cannot manage webhooks. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such webhook on the account. A webhook of another account gets the same response. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `rate_limit_error`: The account has reached its limit of changes to itself, its keys and its devices in 24 hours. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  testWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook.
         * @example hook_01kag0s4d6f8h0k2n4q6s8v0x2
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The event that will be sent. */
      201: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookTest'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid, or the webhook is disabled. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `authentication_error`: No session, or the session of a device: it cannot manage webhooks. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such webhook on the account. A webhook of another account gets the same response. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `rate_limit_error`: The account has sent too many test events: 10, and one more a minute. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listWebhookDeliveries: {
    parameters: {
      query?: {
        /** @description How many records the page has at most. */
        limit?: number;
        /** @description The id of the last record of the page before. */
        after?: string;
      };
      header?: never;
      path: {
        /**
         * @description The id of a webhook.
         * @example hook_01kag0s4d6f8h0k2n4q6s8v0x2
         */
        webhook_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the deliveries. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookDeliveryList'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such webhook on the account. A webhook of another account gets the same response. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  resendWebhookDelivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook.
         * @example hook_01kag0s4d6f8h0k2n4q6s8v0x2
         */
        webhook_id: string;
        /**
         * @description The id of an event.
         * @example whmsg_01kag0s5e7g9j1m3p5r7t9w1y3
         */
        message_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The delivery, which waits again. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookDelivery'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid, the webhook is disabled, or the event is still waiting to be sent. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `authentication_error`: No session, or the session of a device: it cannot manage webhooks. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such webhook on the account, or it was not sent such an event in the last 30 days. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `rate_limit_error`: The account has sent too many events again: 100, and one more every 10 seconds. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  requestLink: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RequestLinkRequest'];
      };
    };
    responses: {
      /** @description If it is the address of an account, the link is on its way, with a code for this browser. */
      202: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'Set-Cookie': components['headers']['Set-Cookie'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LinkRequest'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      413: components['responses']['RequestTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  showLink: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The token of a link.
         * @example lt-0000000000000000000000000000000000000000000
         */
        token: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The page. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      400: components['responses']['InvalidRequestError'];
      /** @description A page which says that the link cannot be used. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listSessions: {
    parameters: {
      query?: {
        /** @description How many records the page has at most. */
        limit?: number;
        /** @description The id of the last record of the page before. */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the sessions. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SessionList'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateSessionRequest'];
        'application/x-www-form-urlencoded': components['schemas']['CreateSessionRequest'];
      };
    };
    responses: {
      /** @description A page, if a form brought a link that was used and the browser is signed in. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description The session, if JSON was sent. */
      201: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'Set-Cookie': components['headers']['Set-Cookie'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewSession'];
        };
      };
      /** @description The console, if a form was sent. */
      303: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          Location: components['headers']['Location'];
          'Set-Cookie': components['headers']['Set-Cookie'];
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          /**
           * @description Whether a client may send the same request again by itself.
           * @example false
           */
          'x-should-retry'?: 'true' | 'false';
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
          'text/html': string;
        };
      };
      /** @description `authentication_error`: The link is not known, was used or has had its time, or a page of another origin asks. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          /**
           * @description Whether a client may send the same request again by itself.
           * @example false
           */
          'x-should-retry'?: 'true' | 'false';
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
          'text/html': string;
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          /**
           * @description Whether a client may send the same request again by itself.
           * @example false
           */
          'x-should-retry'?: 'true' | 'false';
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
          'text/html': string;
        };
      };
      /** @description `request_too_large`: The body is larger than the service accepts. */
      413: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          /**
           * @description Whether a client may send the same request again by itself.
           * @example false
           */
          'x-should-retry'?: 'true' | 'false';
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequestTooLargeError'];
          'text/html': string;
        };
      };
      /** @description `rate_limit_error`: Too many attempts to sign in came from this network. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          /**
           * @description Whether a client may send the same request again by itself.
           * @example false
           */
          'x-should-retry'?: 'true' | 'false';
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
          'text/html': string;
        };
      };
      /** @description `internal_error`: The service failed. Retry with backoff. */
      500: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          /**
           * @description Whether a client may send the same request again by itself.
           * @example false
           */
          'x-should-retry'?: 'true' | 'false';
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InternalError'];
          'text/html': string;
        };
      };
      /** @description `service_unavailable`: The service cannot take the request now. Retry with backoff. */
      503: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          /**
           * @description Whether a client may send the same request again by itself.
           * @example false
           */
          'x-should-retry'?: 'true' | 'false';
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ServiceUnavailableError'];
          'text/html': string;
        };
      };
    };
  };
  endAllSessions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description How many have ended. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'Set-Cookie': components['headers']['Set-Cookie'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EndedSessions'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  spendCode: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SpendCodeRequest'];
      };
    };
    responses: {
      /** @description The session. */
      201: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'Set-Cookie': components['headers']['Set-Cookie'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewSession'];
        };
      };
      /** @description `invalid_request_error`: The request is not valid; `param` names the field, if one is to blame. */
      400: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      /** @description `authentication_error`: The code is wrong, was used or tried too often, has had its time, or was asked for by another browser. Or a page of another origin asks. */
      401: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuthenticationError'];
        };
      };
      /** @description `invalid_request_error`: The request did not arrive in time. */
      408: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      413: components['responses']['RequestTooLarge'];
      /** @description `rate_limit_error`: Too many attempts to sign in came from this network. */
      429: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          'Retry-After': components['headers']['Retry-After'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RateLimitError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  endSession: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a session.
         * @example sess_01kag0s0ard3h8p2pt9vn4yzrq
         */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The session that has ended. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Session'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      403: components['responses']['BetaAccessRequired'];
      /** @description `invalid_request_error`: There is no such session on the account. The response for a session of another account is the same. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  signOut: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The session that has ended. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'Set-Cookie': components['headers']['Set-Cookie'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Session'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      401: components['responses']['AuthenticationError'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getErrorDocs: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page for people. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description It is the one of `If-None-Match`. */
      304: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['InvalidRequestError'];
    };
  };
  getErrorPage: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The code of an error.
         * @example rate_limit_error
         */
        code: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page for people. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description It is the one of `If-None-Match`. */
      304: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['InvalidRequestError'];
      /** @description `invalid_request_error`: There is no such code. */
      404: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          'Cache-Control': components['headers']['Cache-Control'];
          'x-should-retry': components['headers']['x-should-retry'];
          Link: components['headers']['HelpLink'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvalidRequestError'];
        };
      };
    };
  };
  getService: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What it is called, whom to ask, and where it is reached. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Service'];
        };
      };
      /** @description It is the one of `If-None-Match`. */
      304: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['InvalidRequestError'];
    };
  };
  getHealth: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It lives. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Health'];
        };
      };
      400: components['responses']['InvalidRequestError'];
    };
  };
  getReadiness: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It can. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Readiness'];
        };
      };
      400: components['responses']['InvalidRequestError'];
      /** @description It cannot: it is stopping, or does not reach its database. */
      503: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Readiness'];
        };
      };
    };
  };
  getOpenApiDocument: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OpenAPI 3.1. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'application/json': Record<string, never>;
        };
      };
      /** @description It is the one of `If-None-Match`. */
      304: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['InvalidRequestError'];
    };
  };
  getDocsPage: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page for people. */
      200: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description It is the one of `If-None-Match`. */
      304: {
        headers: {
          'X-Service-Request-Id': components['headers']['X-Service-Request-Id'];
          'x-request-id': components['headers']['x-request-id'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['InvalidRequestError'];
    };
  };
}
