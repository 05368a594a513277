import { ContractCheck, type Exchange } from '@farebox/openapi/test';

const check = new ContractCheck();

/** Every exchange of every test is held against the OpenAPI document. Throws with what is not as it says. */
export function expectDocumented(exchange: Exchange): void {
  check.expect(exchange);
}
