export type JsonFault = 'values' | 'encoding' | 'syntax';

/** Why a text was not read as JSON. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly fault: JsonFault;

  constructor(fault: JsonFault, cause?: unknown) {
    super(`not readable as JSON: ${fault}`, { cause });
    this.fault = fault;
  }
}
