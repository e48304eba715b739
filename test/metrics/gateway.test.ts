import { expect, test } from "bun:test"
import { COUNTERS, GAUGES, HISTOGRAMS } from "../../src/metrics/definitions.ts"
import { simulated, startGateway, type TestGateway } from "../support/gateway.ts"
import { AUDIT } from "../store/audit-record.ts"
import { samplesOf, valueOf } from "./samples.ts"

const TOKEN = "token-of-the-metrics"
const CHAT = "/v1/chat/completions"

function scrape({ url }: TestGateway, token = TOKEN): Promise<Response> {
  return fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
}

async function samples(gateway: TestGateway) {
  const response = await scrape(gateway)
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
  return samplesOf(await response.text())
}

const chat = (model: string, more = {}) => ({
  model,
  messages: [{ role: "user", content: "Hello" }],
  max_tokens: 50,
  ...more,
})

test("the metrics of requests, usage and charges match the receipts", async () => {
  await using gateway = await startGateway({
    settings: { metrics: { host: "", token: TOKEN } },
    models: { "sim/fault-500": simulated() },
  })
  const caller = await gateway.caller("1")
  let charged = 0
  let output = 0
  for (const stream of [false, true, false]) {
    const response = await caller.post(CHAT, chat("sim/echo", { stream }))
    await response.text()
    const id = response.headers.get("x-request-id")
    const receipt = (await (await caller.get(`/v1/receipts/${id}`)).json()) as {
      charged: string
      usage: { output: number }
    }
    charged += Number(receipt.charged)
    output += receipt.usage.output
  }
  expect((await caller.post(CHAT, chat("sim/fault-500"))).status).toBe(502)
  expect((await caller.post(CHAT, chat("sim/none"))).status).toBe(404)
  const found = await samples(gateway)
  const echo = { model: "sim/echo", provider: "sim" }
  expect(valueOf(found, "tollgate_requests_total", { ...echo, outcome: "ok" })).toBe(3)
  expect(valueOf(found, "tollgate_requests_total", { outcome: "upstream_error" })).toBe(1)
  expect(valueOf(found, "tollgate_usage_total", { ...echo, class: "output" })).toBe(output)
  expect(valueOf(found, "tollgate_charged_credits_total", echo)).toBeCloseTo(charged, 9)
  expect(valueOf(found, "tollgate_list_price_credits_total", echo)).toBeCloseTo(charged, 8)
  expect(valueOf(found, "tollgate_attempts_total", { provider: "sim", outcome: "ok" })).toBe(3)
  expect(valueOf(found, "tollgate_errors_total", { endpoint: CHAT, kind: "model_not_found" })).toBe(
    1,
  )
  expect(valueOf(found, "tollgate_errors_total", { kind: "upstream_error" })).toBe(1)
  expect(valueOf(found, "tollgate_request_duration_seconds_count")).toBe(3)
  expect(valueOf(found, "tollgate_settlement_duration_seconds_count")).toBe(3)
  expect(valueOf(found, "tollgate_written_off_credits_total", echo)).toBe(0)
  // This metric counts only streams.
  expect(valueOf(found, "tollgate_time_to_first_byte_seconds_count")).toBe(1)
  expect(valueOf(found, "tollgate_open_requests")).toBe(0)
  expect(valueOf(found, "tollgate_held_credits")).toBe(0)
  expect(valueOf(found, "tollgate_leased_credits")).toBeGreaterThan(0)
  expect(valueOf(found, "tollgate_processes_ready")).toBe(1)
  expect(valueOf(found, "tollgate_processes")).toBe(1)
  expect(valueOf(found, "tollgate_resident_memory_bytes")).toBeGreaterThan(1e7)
  expect(valueOf(found, "tollgate_cpu_seconds_total")).toBeGreaterThan(0)
  const names = new Set(found.map(({ name }) => name.replace(/_(bucket|sum|count)$/, "")))
  expect([...names].toSorted()).toEqual(
    [...Object.keys(COUNTERS), ...Object.keys(HISTOGRAMS), ...Object.keys(GAUGES)]
      // Tracing is disabled, and the request log has no destination, so these metrics are absent.
      .filter((name) => !/spans|request_lines/.test(name))
      .toSorted(),
  )
})

test("metrics show an overdue backup", async () => {
  await using gateway = await startGateway({ settings: { metrics: { host: "", token: TOKEN } } })
  const seen = async () => {
    const found = await samples(gateway)
    return [
      valueOf(found, "tollgate_last_backup_timestamp_seconds"),
      valueOf(found, "tollgate_backup_overdue"),
    ]
  }
  expect(await seen()).toEqual([0, 0])
  const { backups } = gateway.store
  await backups.record({ place: "/mnt", at: 1_700_000_000_500, every: null }, AUDIT)
  expect(await seen()).toEqual([1_700_000_000.5, 0])
  await backups.record({ place: "/mnt", at: 1_700_000_000_500, every: 60_000 }, AUDIT)
  expect(await seen()).toEqual([1_700_000_000.5, 1])
  const now = Date.now()
  await backups.record({ place: "/mnt", at: now, every: null }, AUDIT)
  expect(await seen()).toEqual([now / 1_000, 0])
})

test("metrics show that a deployment is cooling down, and its recovery", async () => {
  await using gateway = await startGateway({
    settings: { metrics: { host: "", token: TOKEN } },
    models: { "sim/flaky-5": simulated() },
  })
  const caller = await gateway.caller("1")
  const coolingDown = async () =>
    valueOf(await samples(gateway), "tollgate_deployment_cooling_down", {
      deployment: "sim/flaky-5",
    })
  expect(await coolingDown()).toBe(0)
  while ((await coolingDown()) === 0) await (await caller.post(CHAT, chat("sim/flaky-5"))).text()
  while ((await coolingDown()) === 1) await (await caller.post(CHAT, chat("sim/flaky-5"))).text()
})

test("callers cannot create an unlimited number of metric series", async () => {
  await using gateway = await startGateway({
    settings: { metrics: { host: "", token: TOKEN } },
    models: Object.fromEntries(
      Array.from({ length: 230 }, (_, index) => [`sim/m${index}`, simulated()]),
    ),
  })
  const caller = await gateway.caller("1")
  for (let index = 0; index < 230; index++) {
    await (await caller.post(CHAT, chat(`sim/m${index}`))).text()
    await (await fetch(`${gateway.url}/v1/unknown-${index}`)).text()
  }
  const found = await samples(gateway)
  const requests = found.filter(({ name }) => name === "tollgate_requests_total")
  expect(requests).toHaveLength(201)
  expect(valueOf(found, "tollgate_requests_total", { model: "other" })).toBe(30)
  expect(found.filter(({ name }) => name === "tollgate_errors_total").length).toBeLessThan(110)
  expect(JSON.stringify(found)).not.toContain(caller.account.id)
})

test("metrics require a token, and are unavailable if no token is configured", async () => {
  await using gateway = await startGateway({ settings: { metrics: { host: "", token: TOKEN } } })
  const caller = await gateway.caller("1")
  for (const token of ["", "wrong", caller.key, `${TOKEN}x`]) {
    const response = await scrape(gateway, token)
    expect(response.status).toBe(401)
    expect(await response.text()).not.toContain("tollgate_requests")
  }
  await using quiet = await startGateway()
  expect((await scrape(quiet)).status).toBe(404)
  await using apart = await startGateway({
    settings: { metrics: { host: "", port: 1, token: TOKEN } },
  })
  expect((await scrape(apart)).status).toBe(404)
})
