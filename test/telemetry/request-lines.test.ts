import { expect, spyOn, test } from "bun:test"
import { RequestMetrics } from "../../src/metrics/request-metrics.ts"
import { simulated, startGateway, type TestGateway } from "../support/gateway.ts"

const CANARY = "canary-prompt-7c1f"

const linesOf = ({ heard }: TestGateway, name: string) =>
  heard.filter((event) => event.name === name).map(({ facts }) => facts)

const chat = (model: string, more = {}) => ({
  model,
  messages: [{ role: "user", content: CANARY }],
  max_tokens: 20,
  user: "canary-user-91aa",
  ...more,
})

test("each request logs a line with the data of its receipt and without content", async () => {
  await using gateway = await startGateway({
    settings: { log: { requests: true, queueBytes: 2 ** 24 } },
    models: { "sim/fault-500": simulated() },
  })
  const caller = await gateway.caller("1")
  const ids: (string | null)[] = []
  for (const body of [
    chat("sim/echo"),
    chat("sim/echo", { stream: true }),
    chat("sim/fault-500"),
  ]) {
    const response = await caller.post("/v1/chat/completions", body)
    await response.text()
    ids.push(response.headers.get("x-request-id"))
  }
  const rejected = await caller.post("/v1/chat/completions", chat("sim/none"))
  await rejected.text()
  await new Promise(setImmediate)
  const lines = linesOf(gateway, "requestEnded").map(
    ([line]) => JSON.parse(String(line)) as Record<string, unknown>,
  )
  expect(lines.map(({ request }) => request)).toEqual(ids)
  expect(lines.map(({ status, outcome, stream }) => [status, outcome, stream])).toEqual([
    ["settled", "ok", false],
    ["settled", "ok", true],
    ["released", "upstream_error", false],
  ])
  for (const [index, line] of lines.entries()) {
    const receipt = (await (await caller.get(`/v1/receipts/${ids[index]}`)).json()) as {
      charged: string
      usage: unknown
      attempts: unknown
    }
    expect(line).toMatchObject({
      account: caller.account.id,
      key: caller.keyId,
      endpoint: "/v1/chat/completions",
      charged: receipt.charged,
      usage: receipt.usage,
      attempts: receipt.attempts,
      losses: [],
    })
  }
  expect(lines[1]?.first_byte_ms).toBeNumber()
  expect(linesOf(gateway, "requestRejected").map(([, ...facts]) => facts)).toEqual([
    ["/v1/chat/completions", "upstream_error"],
    ["/v1/chat/completions", "model_not_found"],
  ])
  const all = JSON.stringify(gateway.heard)
  for (const secret of ["canary", caller.key]) expect(all).not.toContain(secret)
})

test("no request lines are logged unless the settings enable them", async () => {
  await using gateway = await startGateway()
  const caller = await gateway.caller("1")
  await (await caller.post("/v1/chat/completions", chat("sim/echo"))).text()
  await (await caller.post("/v1/chat/completions", chat("sim/none"))).text()
  expect(linesOf(gateway, "requestEnded")).toEqual([])
  expect(linesOf(gateway, "requestRejected")).toEqual([])
})

test("an observer that throws affects no response and no other observer", async () => {
  await using gateway = await startGateway({
    settings: {
      log: { requests: true, queueBytes: 2 ** 24 },
      metrics: { host: "127.0.0.1", token: "to-read" },
    },
    models: { "sim/fault-500": simulated() },
  })
  const caller = await gateway.caller("1")
  const fault = (): never => {
    throw new Error("not counted")
  }
  using settled = spyOn(RequestMetrics.prototype, "settled").mockImplementation(fault)
  using released = spyOn(RequestMetrics.prototype, "released").mockImplementation(fault)
  const response = await caller.post("/v1/chat/completions", chat("sim/echo"))
  expect(response.status).toBe(200)
  expect(await response.json()).toHaveProperty("choices")
  const failed = await caller.post("/v1/chat/completions", chat("sim/fault-500"))
  await failed.text()
  await new Promise(setImmediate)
  const asked = [response, failed].map(({ headers }) => headers.get("x-request-id"))
  expect(linesOf(gateway, "observerFailed").map(([request]) => request)).toEqual(asked)
  expect(linesOf(gateway, "requestEnded")).toHaveLength(2)
  expect(settled).toHaveBeenCalledTimes(1)
  expect(released).toHaveBeenCalledTimes(1)
})
