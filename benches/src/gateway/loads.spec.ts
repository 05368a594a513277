import { LOAD_GROUPS, LOADS, selectLoads } from './loads';

it('selects loads by name, in the order of the tables', () => {
  expect(selectLoads('bursts,whole-1')).toEqual(['whole-1', 'bursts']);
});

it('selects a group, and each load once', () => {
  expect(selectLoads('usual,whole-1,whole-16')).toEqual([...(LOAD_GROUPS['usual'] ?? []), 'whole-16']);
});

it('selects the loads that match a pattern', () => {
  expect(selectLoads('100k-*-chat-stream-8')).toEqual([
    '100k-messages-chat-stream-8',
    '100k-responses-chat-stream-8',
  ]);
});

it.each(['toString', 'whole-2', '', '200k-*', '.*', 'whole-1,'])(
  'refuses %j, which selects nothing',
  (text) => {
    expect(() => selectLoads(text)).toThrow('--loads knows no');
  },
);

it('has prompts of every size on every wire and across wires, whole and streamed, at one and eight connections', () => {
  const wires = ['chat', 'messages', 'responses', 'messages-chat', 'responses-chat', 'chat-messages'];
  for (const size of ['1k', '10k', '100k'])
    for (const wire of wires)
      for (const rest of ['whole-1', 'whole-8', 'stream-1', 'stream-8'])
        expect(LOAD_GROUPS['agents']).toContain(`${size}-${wire}-${rest}`);
});

it('knows every load of a group', () => {
  for (const name of Object.values(LOAD_GROUPS).flat()) expect(LOADS).toHaveProperty([name]);
});
