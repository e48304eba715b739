import { hostname } from "node:os"
import { resourceFromAttributes } from "@opentelemetry/resources"
import type { TelemetrySettings } from "../config/sections/telemetry.ts"
import type { OtlpProtocol } from "../config/telemetry-environment.ts"
import { VERSION } from "../runtime.ts"
import { SCOPE } from "./names.ts"
import { OtlpClient } from "./otlp-client.ts"
import type { Source } from "./span.ts"

const CONTENT_TYPES: Readonly<Record<OtlpProtocol, string>> = {
  "http/protobuf": "application/x-protobuf",
  "http/json": "application/json",
}

/**
 * Creates a client for one signal.
 * @param path the path of the signal.
 */
export function clientOf(
  { endpoint, protocol, headers }: TelemetrySettings,
  path: "/v1/traces" | "/v1/metrics",
): OtlpClient {
  return new OtlpClient({
    url: endpoint + path,
    headers: {
      "user-agent": `tollgate/${VERSION}`,
      ...headers,
      "content-type": CONTENT_TYPES[protocol],
    },
  })
}

/** Identifies the service and this process. */
export function sourceOf({ serviceName, resource }: TelemetrySettings): Source {
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
