/** A header that some requests have; its schema is in `build/headers.ts`. */
export type RequestHeader = 'Idempotency-Key' | 'Stripe-Signature';

/** A header of an answer beside those of every answer. */
export type ResponseHeader =
  | 'X-RateLimit-Limit-Requests'
  | 'X-RateLimit-Remaining-Requests'
  | 'X-RateLimit-Reset-Requests'
  | 'Idempotent-Replayed'
  | 'Content-Disposition'
  | 'ETag'
  | 'Link'
  | 'Set-Cookie'
  | 'Vary';
