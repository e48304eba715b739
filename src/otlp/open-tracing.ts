import { hostname } from "node:os"
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer"
import { resourceFromAttributes } from "@opentelemetry/resources"
import type { OtlpProtocol, TelemetrySettings } from "../config/telemetry-settings.ts"
import { VERSION } from "../runtime.ts"
import { SCOPE } from "./names.ts"
import { OtlpClient } from "./otlp-client.ts"
import type { SpanSource } from "./span.ts"
import { SpanQueue, type SpanQueueParts } from "./span-queue.ts"
import { Tracer } from "./tracer.ts"

const CONTENT_TYPES: Readonly<Record<OtlpProtocol, string>> = {
  "http/protobuf": "application/x-protobuf",
  "http/json": "application/json",
}

/** Begins to trace. Dispose of the queue when the last request is over. */
export function openTracing(
  settings: TelemetrySettings,
  parts: Pick<SpanQueueParts, "counted" | "failed">,
): { readonly tracer: Tracer; readonly queue: SpanQueue } {
  const serializer =
    settings.protocol === "http/json" ? JsonTraceSerializer : ProtobufTraceSerializer
  const client = clientOf(settings, "/v1/traces")
  const queue = new SpanQueue({ ...parts, client, serializer })
  return { queue, tracer: new Tracer({ settings, source: sourceOf(settings), queue }) }
}

/** @param path of the signal. */
function clientOf({ endpoint, protocol, headers }: TelemetrySettings, path: string): OtlpClient {
  return new OtlpClient({
    url: endpoint + path,
    headers: {
      "user-agent": `tollgate/${VERSION}`,
      ...headers,
      "content-type": CONTENT_TYPES[protocol],
    },
  })
}

/** Which service it is, and which process of it. */
function sourceOf({ serviceName, resource }: TelemetrySettings): SpanSource {
  return {
    resource: resourceFromAttributes({
      "host.name": hostname(),
      "service.instance.id": Bun.randomUUIDv7(),
      "service.version": VERSION,
      ...resource,
      "service.name": serviceName,
    }),
    instrumentationScope: { name: SCOPE, version: VERSION },
  }
}
