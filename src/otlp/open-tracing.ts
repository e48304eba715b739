import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer"
import type { TelemetrySettings } from "../config/sections/telemetry.ts"
import { clientOf, sourceOf } from "./connection.ts"
import { SpanQueue, type SpanQueueParts } from "./span-queue.ts"
import { Tracer } from "./tracer.ts"

/** Starts tracing. The caller has to dispose of the queue after the last request. */
export function openTracing(
  settings: TelemetrySettings,
  parts: Pick<SpanQueueParts, "counted" | "failed">,
): { readonly tracer: Tracer; readonly queue: SpanQueue } {
  const serializer =
    settings.protocol === "http/json" ? JsonTraceSerializer : ProtobufTraceSerializer
  const queue = new SpanQueue({ ...parts, client: clientOf(settings, "/v1/traces"), serializer })
  return { queue, tracer: new Tracer({ settings, source: sourceOf(settings), queue }) }
}
