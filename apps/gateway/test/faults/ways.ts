import type { WireCase } from '../wires/wire-case';
import { chatCase } from '../wires/chat-case';
import { messagesCase } from '../wires/messages-case';
import { responsesCase } from '../wires/responses-case';

/** A combination of the client's wire and the upstream's. */
export interface Way {
  way: string;
  wire: WireCase;
  /** Prefix of the model: `native-` has an upstream on the Messages wire. */
  of: '' | 'native-';
}

const CHAT: Way = { way: 'chat', wire: chatCase, of: '' };
const OTHERS: readonly Way[] = [
  { way: 'responses', wire: responsesCase, of: '' },
  { way: 'messages', wire: messagesCase, of: '' },
  { way: 'messages, of a messages server', wire: messagesCase, of: 'native-' },
  { way: 'chat, of a messages server', wire: chatCase, of: 'native-' },
];
export const WAYS: readonly Way[] = [CHAT, ...OTHERS];

/** Each row on every way. */
export const onEveryWay = <Row extends object>(rows: readonly Row[]): (Row & Way)[] =>
  WAYS.flatMap((way) => rows.map((row) => ({ ...row, ...way })));

/** Each row by chat and on one other way, in rotation: for behaviour that does not depend on the wire. */
export const spreadOverWays = <Row extends object>(rows: readonly Row[], first = 0): (Row & Way)[] =>
  rows.flatMap((row, i) => [
    { ...row, ...CHAT },
    { ...row, ...(OTHERS[(first + i) % OTHERS.length] ?? CHAT) },
  ]);
