/** The ledger could not answer in time, or is closed. Nothing is known to the caller of what became of the item. */
export class LedgerUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LedgerUnavailableError';
  }
}

/** A charge was not recorded, as far as is known, and has been handed over: somebody else makes a review of it. */
export class ChargeHandedOverError extends LedgerUnavailableError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ChargeHandedOverError';
  }
}

/** The reference of a top-up or an adjustment was used before, for another account or another amount. */
export class ReferenceTakenError extends Error {
  constructor(reference: string) {
    super(`The reference ${reference} was used for another account or another amount.`);
    this.name = 'ReferenceTakenError';
  }
}

/** More would be taken from an account than is available on it. */
export class InsufficientFundsError extends Error {
  constructor(accountId: string) {
    super(`Less than that is available on account ${accountId}.`);
    this.name = 'InsufficientFundsError';
  }
}

/** The account of a money movement does not exist. */
export class NoSuchAccountError extends Error {
  constructor(accountId: string) {
    super(`There is no account ${accountId}.`);
    this.name = 'NoSuchAccountError';
  }
}
