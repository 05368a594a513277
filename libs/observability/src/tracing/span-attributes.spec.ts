import { toExportedAttributes, type SpanAttributes } from './span-attributes';

it('exports what is in the list, and nothing else', () => {
  const attributes = {
    'farebox.model': 'small',
    'farebox.prompt_tokens': 3,
    'farebox.streamed': true,
    'farebox.outcome': undefined,
    'http.request.header.authorization': 'Bearer ak-secret',
    constructor: 'x',
  } as SpanAttributes;
  expect(toExportedAttributes(attributes)).toEqual({
    'farebox.model': 'small',
    'farebox.prompt_tokens': 3,
    'farebox.streamed': true,
  });
});

it('exports no value of another kind, and none that looks like a secret', () => {
  const attributes = { 'farebox.prompt_tokens': '3', 'farebox.model': { a: 1 } } as unknown as SpanAttributes;
  expect(toExportedAttributes(attributes)).toEqual({});
  const secret = `ak-${'a'.repeat(38)}`;
  expect(JSON.stringify(toExportedAttributes({ 'farebox.model': secret }))).not.toContain(secret);
});
