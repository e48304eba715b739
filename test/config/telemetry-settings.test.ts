import { describe, expect, test } from "bun:test"
import { describeSettings } from "../../src/config/describe.ts"
import { loadSettings } from "../../src/config/load.ts"
import { secretsOf } from "../../src/config/secret-values.ts"
import type { Environment } from "../../src/config/substitute.ts"
import { Folder, load } from "./harness.ts"

const ENDPOINT = "http://collector.example.com:4318"

const DEFAULTS = {
  endpoint: ENDPOINT,
  headers: {},
  protocol: "http/protobuf",
  sample: 1,
  serviceName: "tollgate",
  resource: {},
  propagates: false,
  namesCallers: true,
  metricsEvery: 60_000,
} as const

function loadWith(text: string, environment: Environment) {
  using folder = new Folder()
  folder.write(text)
  return loadSettings(folder.options(environment))
}

test("telemetry is off without a collector", () => {
  for (const text of ["", "telemetry:", "telemetry: { sample: 0.5 }"]) {
    expect(load(text).settings).not.toHaveProperty("telemetry")
  }
})

test("telemetry requires only a collector's address", () => {
  const { settings } = load(`telemetry: { endpoint: "${ENDPOINT}/" }`)
  expect(settings.telemetry).toEqual(DEFAULTS)
})

test("every telemetry option can be set, and headers are secrets", () => {
  const { settings } = load(`
telemetry:
  endpoint: ${ENDPOINT}/otlp
  headers: { Authorization: Bearer canary-of-the-collector, x-tenant: tenant-seven }
  protocol: http/json
  sample: 0.1
  service_name: edge
  propagate: true
  callers: false
  metrics: 15s
`)
  expect(settings.telemetry).toEqual({
    endpoint: `${ENDPOINT}/otlp`,
    headers: { authorization: "Bearer canary-of-the-collector", "x-tenant": "tenant-seven" },
    protocol: "http/json",
    sample: 0.1,
    serviceName: "edge",
    resource: {},
    propagates: true,
    namesCallers: false,
    metricsEvery: 15_000,
  })
  expect(secretsOf(settings)).toContain("canary-of-the-collector")
  expect(JSON.stringify(describeSettings(settings))).not.toContain("canary")
})

describe.each([
  ["endpoint: collector", "telemetry.endpoint"],
  ["endpoint: http://user:password@collector", "telemetry.endpoint"],
  ["endpoint: http://collector?key=1", "telemetry.endpoint"],
  ["protocol: grpc", "telemetry.protocol"],
  ["sample: 1.5", "telemetry.sample"],
  ["sample: -0.1", "telemetry.sample"],
  ["metrics: never", "telemetry.metrics"],
  ["headers: { host: a }", "telemetry.headers: this header is set by the gateway itself"],
  ["propagate: yes please", "telemetry.propagate"],
  ["endpiont: http://collector", "telemetry: unknown name 'endpiont'"],
])("the check of telemetry: { %s }", (text, place) => {
  test("rejects the setting and names it", () => {
    expect(() => load(`telemetry: { ${text} }`)).toThrow(place)
  })
})

describe("OpenTelemetry's environment variables", () => {
  const OTEL = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${ENDPOINT}/`,
    OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Basic%20Y2FuYXJ5, x-tenant=1",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_TRACES_SAMPLER_ARG: "0.5",
    OTEL_SERVICE_NAME: "edge",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=a%20b",
    OTEL_METRIC_EXPORT_INTERVAL: "5000",
  }
  const READ = {
    ...DEFAULTS,
    headers: { authorization: "Basic Y2FuYXJ5", "x-tenant": "1" },
    protocol: "http/json",
    sample: 0.5,
    serviceName: "edge",
    resource: { "deployment.environment.name": "a b" },
    metricsEvery: 5_000,
  }

  test("configure telemetry without settings", () => {
    const { settings, warnings } = loadWith("", OTEL)
    expect(settings.telemetry).toEqual(READ as typeof settings.telemetry)
    expect(warnings).toEqual([])
    expect(secretsOf(settings)).toContain("Y2FuYXJ5")
  })

  test("do not override the file, and their headers are not sent to the collector in the file", () => {
    const { settings } = loadWith('telemetry: { endpoint: "http://other:4318", sample: 1 }', OTEL)
    expect(settings.telemetry).toEqual({
      ...READ,
      endpoint: "http://other:4318",
      headers: {},
      protocol: "http/protobuf",
      sample: 1,
    } as typeof settings.telemetry)
  })

  test("can turn off metrics, like the settings file", () => {
    const { settings } = loadWith("", { ...OTEL, OTEL_METRICS_EXPORTER: "none" })
    expect(settings.telemetry?.metricsEvery).toBe(0)
    const file = `telemetry: { endpoint: "${ENDPOINT}", metrics: off }`
    expect(loadWith(file, OTEL).settings.telemetry?.metricsEvery).toBe(0)
  })

  test("can turn off telemetry", () => {
    const { settings } = loadWith(`telemetry: { endpoint: "${ENDPOINT}" }`, {
      ...OTEL,
      OTEL_SDK_DISABLED: "true",
    })
    expect(settings).not.toHaveProperty("telemetry")
  })

  test("cause only a warning if one of them is invalid, and the warning does not contain its value", () => {
    const { settings, warnings } = loadWith("", {
      ...OTEL,
      OTEL_EXPORTER_OTLP_HEADERS: "canary",
      OTEL_TRACES_SAMPLER_ARG: "canary",
      OTEL_RESOURCE_ATTRIBUTES: "a=%E0%A4%A",
    })
    expect(settings.telemetry).toMatchObject({ headers: {}, sample: 1, resource: {} })
    expect(warnings).toHaveLength(3)
    expect(warnings.join()).toContain("OTEL_EXPORTER_OTLP_HEADERS: ")
    expect(warnings.join()).not.toContain("canary")
  })

  test("turn telemetry off if the collector's protocol is unsupported", () => {
    const { settings, warnings } = loadWith("", { ...OTEL, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })
    expect(settings).not.toHaveProperty("telemetry")
    expect(warnings.join()).toContain("OTEL_EXPORTER_OTLP_PROTOCOL: is not a known protocol")
  })
})
