/**
 * The roles of operators. A viewer reads; support also helps customers; finance also moves money and closes books; an
 * owner may do everything. Which verb each may use is in libs/verbs/src/rights.ts.
 */
export const OPERATOR_ROLES = ['viewer', 'support', 'finance', 'owner'] as const;

export type OperatorRole = (typeof OPERATOR_ROLES)[number];

export function isOperatorRole(text: unknown): text is OperatorRole {
  return OPERATOR_ROLES.some((role) => role === text);
}
