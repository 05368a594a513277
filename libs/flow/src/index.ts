export { Coalescer, type CoalescerOptions } from './coalescer';
export { NoAnswerInTimeError, within } from './deadline';
export { isShort, readJsonText, readShortJsonText, type ReadJson } from './json/json-in-turns';
export { JsonError, type JsonFault } from './json/json-scanner';
export { writeJson, writeJsonInTurns, type WrittenStrings } from './json/written-strings';
export { BYTES_OF_TURN, joinInTurns, Pace } from './pace';
export { singleFlight, SingleFlights } from './single-flight';
export { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './times';
export { Rotation, Turns, type TurnsLimits } from './turns';
