import type { TelemetrySettings } from "../../src/config/sections/telemetry.ts"
import { type GatewayOptions, startGateway } from "../support/gateway.ts"
import type { Collector } from "./collector.ts"

export const CHAT = "/v1/chat/completions"

/** Returns the body of a chat request. */
export const chat = (model: string, more = {}) => ({
  model,
  messages: [{ role: "user", content: "Hello" }],
  max_tokens: 50,
  ...more,
})

/** Returns telemetry settings that send traces of every request and no metrics to a collector. */
export function telemetryFor(
  { url }: Pick<Collector, "url">,
  more: Partial<TelemetrySettings> = {},
): TelemetrySettings {
  return {
    endpoint: url,
    headers: {},
    protocol: "http/protobuf",
    sample: 1,
    serviceName: "tollgate",
    resource: {},
    propagates: false,
    namesCallers: true,
    metricsEvery: 0,
    ...more,
  }
}

/** Starts a gateway that sends its traces to a collector. */
export function startTraced(
  collector: Pick<Collector, "url">,
  more: Partial<TelemetrySettings> = {},
  { settings, ...options }: GatewayOptions = {},
) {
  const telemetry = telemetryFor(collector, more)
  return startGateway({ ...options, settings: { telemetry, ...settings } })
}
