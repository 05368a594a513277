type OptionValue = string | number | undefined;

/**
 * The command that shows the next page: with the options that were given, undefined where one was not, and `--after`.
 * Values with spaces are quoted for a shell.
 */
export function nextCommand(
  words: string,
  options: Readonly<Record<string, OptionValue>>,
  lastId: string,
): string {
  const all: Record<string, OptionValue> = { ...options, after: lastId };
  const given = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quote(String(value))],
  );
  return ['admin', words, ...given].join(' ');
}

function quote(text: string): string {
  return /^[\w@.:+-]+$/.test(text) ? text : `'${text.replaceAll(`'`, `'\\''`)}'`;
}
