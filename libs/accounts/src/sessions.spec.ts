import { requireDevice, requirePerson, requirePersonOrSelf } from './sessions';

const refusedAs = (code: string): Error => expect.objectContaining({ code }) as Error;

it("a person's session manages every device", () => {
  expect(() => {
    requirePerson(null);
    requirePersonOrSelf(null, 'a');
  }).not.toThrow();
});

it("a device's session manages only its own device", () => {
  expect(() => {
    requirePersonOrSelf('a', 'a');
  }).not.toThrow();
  expect(() => {
    requirePersonOrSelf('a', 'b');
  }).toThrow(refusedAs('authentication_error'));
  expect(() => {
    requirePerson('a');
  }).toThrow(refusedAs('authentication_error'));
});

it("only a device's session identifies the calling device", () => {
  expect(requireDevice('a')).toBe('a');
  expect(() => requireDevice(null)).toThrow(refusedAs('invalid_request_error'));
});
