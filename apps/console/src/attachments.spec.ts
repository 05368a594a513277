import { acceptedBy, whyNot } from './attachments';

const PNG = { name: 'cat.png', type: 'image/png', size: 1_000 };

it('accepts what the model takes, and nothing for a model of text', () => {
  expect(acceptedBy(['text'])).toEqual([]);
  expect(acceptedBy(['text', 'file'])).toEqual(['application/pdf']);
  expect(whyNot(PNG, acceptedBy(['text', 'image']))).toBeUndefined();
  expect(whyNot(PNG, acceptedBy(['text', 'file']))).toBe('The model does not take cat.png.');
});

it('refuses a file that is too large', () => {
  expect(whyNot({ ...PNG, size: 10_000_001 }, ['image/png'])).toBe('cat.png is larger than 10 MB.');
});
