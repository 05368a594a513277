import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector receives it. */
export interface ReceivedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** The parent span; undefined for a root span. */
  parentSpanId: string | undefined;
  /** As OTLP numbers them: 1 internal, 2 server, 3 client, 5 consumer. */
  kind: number;
  attributes: Record<string, SpanValue>;
  hasFailed: boolean;
}

type SpanValue = string | number | boolean | string[];

/** A trace collector: accepts OTLP over HTTP in JSON. */
export interface OtlpReceiver {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans(): ReceivedSpan[];
  /** Everything received, unparsed. */
  text(): string;
  /** Responds to every delivery with this status from now on. 200 accepts it. */
  answerWith(status: number): void;
  close(): Promise<void>;
}

interface OtlpValue {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: OtlpValue[] };
}

interface OtlpAttribute {
  key: string;
  value: OtlpValue;
}

interface OtlpSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  attributes?: OtlpAttribute[];
  status?: { code?: number };
}

interface OtlpTraces {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

const FAILED = 2;

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  let status = 200;
  const server = createServer((req, res) => {
    void readBody(req).then((body) => {
      const isTraces = req.method === 'POST' && req.url === '/v1/traces';
      if (isTraces && status === 200) bodies.push(body);
      res.writeHead(isTraces ? status : 404, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${String(port)}`,
    spans: () => bodies.flatMap((body) => toSpans(JSON.parse(body) as OtlpTraces)),
    text: () => bodies.join('\n'),
    answerWith(next) {
      status = next;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}

async function readBody(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function toSpans({ resourceSpans }: OtlpTraces): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(toAttributes(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => toSpan(service, span)));
  });
}

function toSpan(
  service: string,
  { name, traceId, spanId, parentSpanId, kind, ...rest }: OtlpSpan,
): ReceivedSpan {
  return {
    service,
    name,
    traceId,
    spanId,
    parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
    kind,
    attributes: toAttributes(rest.attributes ?? []),
    hasFailed: rest.status?.code === FAILED,
  };
}

function toAttributes(attributes: readonly OtlpAttribute[]): Record<string, SpanValue> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, toValue(value)]));
}

function toValue({ stringValue, boolValue, arrayValue, intValue, doubleValue }: OtlpValue): SpanValue {
  if (arrayValue) return arrayValue.values.map((one) => String(toValue(one)));
  return stringValue ?? boolValue ?? Number(intValue ?? doubleValue);
}
