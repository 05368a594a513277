/** The service's tool call ids are `call_…`, but clients of messages expect their own prefix. */
const CALL = 'call_';
const TOOL_USE = 'toolu_';

export function toToolUseId(callId: string): string {
  return callId.startsWith(CALL) ? TOOL_USE + callId.slice(CALL.length) : callId;
}

/** Also converts ids of other services: only a call and its result must agree. */
export function toCallId(toolUseId: string): string {
  return toolUseId.startsWith(TOOL_USE) ? CALL + toolUseId.slice(TOOL_USE.length) : toolUseId;
}
