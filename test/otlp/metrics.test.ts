import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { COUNTERS, GAUGES, GEN_AI_HISTOGRAMS, HISTOGRAMS } from "../../src/metrics/definitions.ts"
import { metricName } from "../../src/otlp/names.ts"
import { createInstallation, runJson, startServing } from "../support/process.ts"
import { servedTime } from "../support/served-time.ts"
import { until } from "../support/until.ts"
import { Collector, type ReceivedMetric } from "./collector.ts"

/**
 * Returns the metric name that a collector uses for Prometheus.
 * @see https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics
 */
function inPrometheus(name: string, unit: string, isCounter: boolean): string {
  const units: Record<string, string> = { s: "_seconds", By: "_bytes" }
  return name.replaceAll(".", "_") + (units[unit] ?? "") + (isCounter ? "_total" : "")
}

test("metrics have the same names at a collector as in Prometheus", () => {
  for (const prometheus of Object.keys({ ...COUNTERS, ...GAUGES, ...HISTOGRAMS })) {
    const { name, unit } = metricName(prometheus)
    expect(name).toStartWith("tollgate.")
    expect(inPrometheus(name, unit, prometheus in COUNTERS)).toBe(prometheus)
  }
  expect(Object.keys(GEN_AI_HISTOGRAMS).map((name) => metricName(name))).toEqual([
    { name: "gen_ai.client.operation.duration", unit: "s" },
    { name: "gen_ai.client.token.usage", unit: "{token}" },
  ])
})

let simulator: Simulator

beforeAll(() => {
  simulator = startSimulator()
})

afterAll(() => simulator.stop())

const yaml = ({ url }: Collector, telemetry: string) => `
server: { port: 0 }
telemetry: { endpoint: "${url}", sample: 0, ${telemetry} }
providers:
  sim: { vendor: openai-compatible, api_key: upstream, base_url: "${simulator.url}/v1" }
models:
  sim/echo: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
  sim/fault-500: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
`

async function newKey(installation: ReturnType<typeof createInstallation>): Promise<string> {
  const { key } = await runJson<{ key: string }>(installation, "key", "create", "--account", "demo")
  return key
}

async function chat(url: string, key: string, model = "sim/echo"): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      connection: "close",
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
  })
  const { usage } = (await response.json()) as { usage?: { prompt_tokens: number } }
  return usage?.prompt_tokens ?? 0
}

function found(metrics: readonly ReceivedMetric[], name: string): ReceivedMetric {
  const metric = metrics.find((one) => one.name === name)
  if (!metric) throw new Error(`no ${name}`)
  return metric
}

/** Returns the sum of a metric's points that have these attributes. */
function total(
  metrics: readonly ReceivedMetric[],
  name: string,
  attributes: Readonly<Record<string, string>> = {},
): number {
  return (metrics.find((one) => one.name === name)?.points ?? [])
    .filter((point) =>
      Object.entries(attributes).every(([key, value]) => point.attributes[key] === value),
    )
    .reduce((sum, { value, count }) => sum + (value ?? count ?? 0), 0)
}

describe.each(["http/protobuf", "http/json"])("metrics over %s", (protocol) => {
  test.concurrent("match the metrics of Prometheus and the conventions", async () => {
    using collector = new Collector()
    using installation = createInstallation(
      yaml(collector, `metrics: 100ms, protocol: ${protocol}`),
    )
    await using serving = await startServing(installation)
    const key = await newKey(installation)
    const input = await chat(serving.url, key)
    await chat(serving.url, key)
    await chat(serving.url, key, "sim/fault-500")
    await until(() => total(collector.metrics, "tollgate.requests") === 3)
    const { metrics } = collector
    const requests = found(metrics, "tollgate.requests")
    expect(requests).toMatchObject({ type: "sum", isMonotonic: true, temporality: 2, unit: "" })
    expect(requests.resource["service.name"]).toBe("tollgate")
    expect(total(metrics, "tollgate.requests", { model: "sim/echo", outcome: "ok" })).toBe(2)
    expect(total(metrics, "tollgate.errors", { kind: "upstream_error" })).toBe(1)
    expect(found(metrics, "tollgate.processes")).toMatchObject({ type: "gauge" })
    expect(total(metrics, "tollgate.processes")).toBe(1)
    const genAi = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai-compatible",
      "gen_ai.request.model": "sim/echo",
      "gen_ai.response.model": "echo",
    }
    const durations = found(metrics, "gen_ai.client.operation.duration")
    expect(durations).toMatchObject({ type: "histogram", temporality: 2, unit: "s" })
    const failed = durations.points.find(({ attributes }) => attributes["error.type"])
    expect(failed?.attributes).toMatchObject({
      "error.type": "upstream_error",
      "gen_ai.response.model": "fault-500",
    })
    const answered = durations.points.find(({ attributes }) => !attributes["error.type"])
    expect(answered).toMatchObject({ attributes: genAi, count: 2 })
    const tokens = found(metrics, "gen_ai.client.token.usage")
    expect(tokens.unit).toBe("{token}")
    const ofInput = tokens.points.find(
      ({ attributes }) => attributes["gen_ai.token.type"] === "input",
    )
    expect(ofInput).toMatchObject({
      attributes: { ...genAi, "gen_ai.token.type": "input" },
      count: 2,
      sum: 2 * input,
    })
    // Each value is in exactly one bucket, which must be the matching one.
    const place = ofInput?.bounds?.findIndex((bound) => input <= bound) ?? -1
    expect(ofInput?.buckets?.[place]).toBe(2)
    expect(ofInput?.buckets?.reduce((sum, count) => sum + count, 0)).toBe(2)
    expect(ofInput?.buckets?.length).toBe(Number(ofInput?.bounds?.length) + 1)
  })
})

test("the parent process sends the workers' metrics together, up to the last request", async () => {
  using collector = new Collector()
  using installation = createInstallation(yaml(collector, "metrics: 200ms"))
  {
    await using serving = await startServing(installation, { TOLLGATE_WORKERS: "2" })
    const key = await newKey(installation)
    for (let count = 0; count < 20; count++) await chat(serving.url, key)
    await until(() => total(collector.metrics, "tollgate.requests") === 20)
    expect(total(collector.metrics, "tollgate.processes")).toBe(2)
    const began = new Set(
      collector.metrics.flatMap(({ points }) => points.map((one) => one.startedAt)),
    )
    expect(began.size).toBe(1)
    for (let count = 0; count < 5; count++) await chat(serving.url, key)
  }
  expect(total(collector.metrics, "tollgate.requests")).toBe(25)
})

test("a single process sends metrics up to the last request, unless metrics are turned off", async () => {
  using collector = new Collector()
  for (const [interval, requests] of [
    ["1h", 3],
    ["off", 0],
  ] as const) {
    collector.received.length = 0
    using installation = createInstallation(yaml(collector, `metrics: ${interval}`))
    {
      await using serving = await startServing(installation)
      const key = await newKey(installation)
      for (let count = 0; count < 3; count++) await chat(serving.url, key)
      // These metrics are sent only to the collector.
      expect((await fetch(`${serving.url}/metrics`)).status).toBe(404)
    }
    expect(total(collector.metrics, "tollgate.requests")).toBe(requests)
  }
})

test("an unavailable collector delays neither requests nor the shutdown", async () => {
  const collector = new Collector()
  using installation = createInstallation(yaml(collector, "metrics: 100ms"))
  collector[Symbol.dispose]()
  const serving = await startServing(installation)
  const key = await newKey(installation)
  expect(await chat(serving.url, key)).toBeGreaterThan(0)
  expect(await servedTime(() => serving[Symbol.asyncDispose]())).toBeLessThan(8_000)
})
