/**
 * All significant digits, and at least the cents: `"0.000010500"` is `0.0000105`, `"5.000000000"` is `5.00`.
 */
export function shownAmount(amount: string): string {
  return amount.replace(/(\.\d{2}\d*?)0+$/, '$1');
}
