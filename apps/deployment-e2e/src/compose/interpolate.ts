/** `${NAME}` and its forms, the innermost first: no match contains another brace. */
const VARIABLE = /\$\{([A-Z][A-Z0-9_]*)(?:(:-|:\?|:\+)([^{}]*))?\}/;

/**
 * Expands a text as Compose does: `${NAME}`, `${NAME:-default}`, `${NAME:?message}` and
 * `${NAME:+replacement}`, also nested. Throws the message of a missing required variable.
 */
export function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  let result = text;
  for (;;) {
    const found = VARIABLE.exec(result);
    if (found === null) return result;
    const [whole, name = '', operator, operand = ''] = found;
    const value = valueOf(name, variables[name] ?? '', operator, operand);
    result = result.slice(0, found.index) + value + result.slice(found.index + whole.length);
  }
}

function valueOf(name: string, value: string, operator: string | undefined, operand: string): string {
  if (operator === ':+') return value === '' ? '' : operand;
  if (operator === ':-') return value === '' ? operand : value;
  if (operator === ':?' && value === '') throw new Error(`${name}: ${operand}`);
  return value;
}
