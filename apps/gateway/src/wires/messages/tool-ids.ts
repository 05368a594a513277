/** Ids of tool calls are the service's own: `call_…`. Clients of messages look for a prefix of theirs. */
const CALL = 'call_';
const TOOL_USE = 'toolu_';

export function toToolUseId(callId: string): string {
  return callId.startsWith(CALL) ? TOOL_USE + callId.slice(CALL.length) : callId;
}

/** Also of an id that another service made: what matters is that a call and its result have the same. */
export function toCallId(toolUseId: string): string {
  return toolUseId.startsWith(TOOL_USE) ? CALL + toolUseId.slice(TOOL_USE.length) : toolUseId;
}
