/** A number that a test run is given, e.g. `FAREBOX_TEST_SEED`; undefined where it is not. Throws where it is none. */
export function numberFromEnvironment(name: string): number | undefined {
  const value = process.env[name];
  if (value === undefined || value === '') return undefined;
  if (!/^\d+$/.test(value)) throw new Error(`${name} is not a whole number: ${value}`);
  return Number(value);
}
