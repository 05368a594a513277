export { callerOf, networkOf } from './client-network';
export { closeGracefully, NOT_BEGUN_HEADER, drainParsedRequests } from './connections';
export {
  consolePage,
  readConsoleFiles,
  sendConsoleAsset,
  type ConsoleBrand,
  type ConsoleFiles,
} from './console-files';
export { allowOrigins, answerPreflight, isPreflight, shareWith } from './cors';
export {
  errorMiddleware,
  listenerOf,
  methodsFor,
  notFoundMiddleware,
  routeOf,
  unavailableMiddleware,
  type Route,
} from './express';
export { createHttpServer, DEFAULT_SERVER_LIMITS, listen, type ServerLimits } from './http-server';
export { openMetricsServer, OPERATORS_SERVER_LIMITS, type MetricsServer } from './metrics-server';
export {
  healthRoutes,
  isHealthCheck,
  servePublicDocument,
  type PublicDocument,
  type Readiness,
} from './open-routes';
export {
  headersOf,
  helpPathOf,
  isNavigation,
  renderPage,
  takesHtml,
  type Page,
  type RenderedPage,
} from './page';
export {
  readBytes,
  readJsonBody,
  readJsonBodyWithBytes,
  type JsonBody,
  type JsonBodyLimits,
} from './read-json-body';
export { isForm, readForm } from './read-form';
export { RequestBodies, type BodyRoom } from './request-bodies';
export {
  createRequestContext,
  identifyRequest,
  refuseAmbiguousHeaders,
  requestIdMiddleware,
  SECURITY_HEADERS,
  setHead,
  type RequestContext,
  type ResponseHead,
} from './request-context';
export {
  createRequestMeter,
  endRequestSpan,
  RequestRecorder,
  type RequestDescription,
  startRequestSpan,
  type RequestMeter,
} from './request-recorder';
export { runService } from './run-service';
export { UnwrittenResponses } from './unwritten-responses';
export {
  byteLengthOf,
  sendFailedStream,
  sendFailure,
  closeAfterResponse,
  cutWhenSlow,
  resetConnection,
  sendError,
  sendJson,
  sendJsonText,
  sendPage,
  type ErrorLog,
  type ReadingPace,
} from './respond';
export { sendPieces } from './send-pieces';
export { responseCodeOf, noteErrorCode, onceResponseEnds } from './response-end';
