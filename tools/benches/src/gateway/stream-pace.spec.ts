import { askForPace, paceOf } from './stream-pace';

it('a prompt asks for a pace', () => {
  const pace = { chunks: 20, everyMs: 1_000 };
  const body = JSON.stringify({ messages: [{ role: 'user', content: askForPace(pace) }], stream: true });
  expect(paceOf(body)).toEqual(pace);
});

it('another prompt asks for none', () => {
  expect(paceOf('{"messages":[{"role":"user","content":"Tell me of a stream."}]}')).toBeUndefined();
});
