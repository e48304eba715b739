import { describe, expect, spyOn, test } from "bun:test"
import { Keyring } from "../../src/keys/keyring.ts"
import { provider, simulated } from "../support/gateway.ts"
import { audioModels, wave } from "../support/audio.ts"
import { Collector } from "./collector.ts"
import { CHAT, chat, startTraced } from "./traced.ts"

/** Long enough to exceed the rounding of spans. */
const SLOW_LOOKUP_MS = 30

interface Receipt {
  readonly usage: { readonly input: number; readonly output: number }
  readonly charged: string
}

describe.each(["http/protobuf", "http/json"] as const)("traces over %s", (protocol) => {
  test("contain a span for a chat, and its upstream call as a child span", async () => {
    using collector = new Collector()
    const resource = { "deployment.environment.name": "test" }
    const headers = { "x-collector-key": "collector-secret" }
    const more = { protocol, resource, headers, serviceName: "gateway" }
    await using gateway = await startTraced(collector, more)
    const caller = await gateway.caller("1")
    const before = Date.now()
    const response = await caller.post(CHAT, chat("sim/echo"))
    await response.text()
    const id = response.headers.get("x-request-id") ?? ""
    const receipt = (await (await caller.get(`/v1/receipts/${id}`)).json()) as Receipt
    const [request, attempt, ...rest] = await collector.spansOf(2)
    const after = Date.now()
    if (!request || !attempt) throw new Error("there are no spans")
    expect(rest).toEqual([])
    expect(request).toMatchObject({
      name: "chat sim/echo",
      kind: "server",
      parentSpanId: "",
      isFailed: false,
      resource: { ...resource, "service.name": "gateway", "service.version": "0.1.0" },
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai-compatible",
        "gen_ai.request.model": "sim/echo",
        "gen_ai.request.stream": false,
        "gen_ai.response.model": "echo",
        "gen_ai.usage.input_tokens": receipt.usage.input,
        "gen_ai.usage.output_tokens": receipt.usage.output,
        "http.request.method": "POST",
        "http.route": CHAT,
        "http.response.status_code": 200,
        "tollgate.request": id,
        "tollgate.account": caller.account.id,
        "tollgate.key": caller.keyId,
        "tollgate.provider": "sim",
        "tollgate.outcome": "ok",
        "tollgate.charged": receipt.charged,
        "tollgate.attempts": 1,
      },
    })
    expect(request.attributes["error.type"]).toBeUndefined()
    expect(request.traceId).toMatch(/^[\da-f]{32}$/)
    expect(request.spanId).toMatch(/^[\da-f]{16}$/)
    expect(attempt).toMatchObject({
      name: "chat echo",
      kind: "client",
      traceId: request.traceId,
      parentSpanId: request.spanId,
      isFailed: false,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai-compatible",
        "gen_ai.request.model": "echo",
        "server.address": "127.0.0.1",
        "server.port": Number(new URL(gateway.simulator.url).port),
        "http.request.method": "POST",
        "http.response.status_code": 200,
        "tollgate.outcome": "ok",
      },
    })
    for (const { startedAt, endedAt } of [request, attempt]) {
      expect(startedAt).toBeGreaterThanOrEqual(before)
      expect(endedAt).toBeGreaterThanOrEqual(startedAt)
      expect(endedAt).toBeLessThanOrEqual(after + 1)
    }
    expect(attempt.startedAt).toBeGreaterThanOrEqual(request.startedAt)
    expect(attempt.endedAt).toBeLessThanOrEqual(request.endedAt)
    const [sent] = collector.received
    expect(sent?.path).toBe("/v1/traces")
    expect(sent?.headers.get("x-collector-key")).toBe("collector-secret")
  })
})

test("a trace has the time to the first chunk of a stream", async () => {
  using collector = new Collector()
  await using gateway = await startTraced(collector)
  const caller = await gateway.caller("1")
  await (await caller.post(CHAT, chat("sim/echo", { stream: true }))).text()
  const [request, attempt] = await collector.spansOf(2)
  for (const span of [request, attempt]) {
    const first = Number(span?.attributes["gen_ai.response.time_to_first_chunk"])
    expect(first).toBeGreaterThan(0)
    expect(first * 1_000).toBeLessThanOrEqual(Number(span?.endedAt) - Number(span?.startedAt) + 1)
  }
  expect(request?.attributes["gen_ai.request.stream"]).toBe(true)
})

test("the span of a request includes the time of its authentication", async () => {
  using collector = new Collector()
  await using gateway = await startTraced(collector)
  const caller = await gateway.caller("1")
  const identify = Keyring.prototype.identify
  using _ = spyOn(Keyring.prototype, "identify").mockImplementation(async function (
    this: Keyring,
    ...given
  ) {
    await Bun.sleep(SLOW_LOOKUP_MS)
    return identify.apply(this, given)
  })
  await (await caller.post(CHAT, chat("sim/echo", { stream: true }))).text()
  const [request] = await collector.spansOf(2)
  const duration = Number(request?.endedAt) - Number(request?.startedAt)
  const first = Number(request?.attributes["gen_ai.response.time_to_first_chunk"])
  expect(first * 1_000).toBeGreaterThan(SLOW_LOOKUP_MS - 2)
  expect(duration).toBeGreaterThan(first * 1_000 - 1)
})

test("a trace has a span for each upstream call of a failover, with its error", async () => {
  using collector = new Collector()
  const deployments = [
    { provider: "sim", model: "fault-500", weight: 1_000_000 },
    { provider: "sim", model: "echo", weight: 0 },
  ]
  const models = { "sim/both": simulated({ deployments }) }
  await using gateway = await startTraced(collector, {}, { models })
  const caller = await gateway.caller("1")
  expect((await caller.post(CHAT, chat("sim/both"))).status).toBe(200)
  const [request, failed, answered] = await collector.spansOf(3)
  expect(request).toMatchObject({ isFailed: false, attributes: { "tollgate.attempts": 2 } })
  expect(failed).toMatchObject({
    name: "chat fault-500",
    parentSpanId: request?.spanId,
    isFailed: true,
    attributes: {
      "error.type": "upstream_error",
      "http.response.status_code": 500,
      "tollgate.deployment": "sim/fault-500",
    },
  })
  expect(answered).toMatchObject({ name: "chat echo", isFailed: false })
})

test("a trace has the status of a failed request", async () => {
  using collector = new Collector()
  const models = { "sim/fault-500": simulated(), "sim/fault-400-context": simulated() }
  await using gateway = await startTraced(collector, {}, { models })
  const caller = await gateway.caller("1")
  expect((await caller.post(CHAT, chat("sim/fault-500"))).status).toBe(502)
  expect((await caller.post(CHAT, chat("sim/fault-400-context"))).status).toBe(400)
  const [server, , caused] = await collector.spansOf(4)
  expect(server).toMatchObject({
    name: "chat sim/fault-500",
    isFailed: true,
    attributes: { "error.type": "upstream_error", "http.response.status_code": 502 },
  })
  // A mistake of the caller does not count as an error of the server.
  expect(caused).toMatchObject({
    name: "chat sim/fault-400-context",
    isFailed: false,
    attributes: { "error.type": "rejected_by_upstream", "http.response.status_code": 400 },
  })
})

test("a trace has a span for a rejected request, unless the caller is unknown", async () => {
  using collector = new Collector()
  await using gateway = await startTraced(collector)
  const caller = await gateway.caller("1")
  const url = `${gateway.url}${CHAT}`
  const headers = { authorization: "Bearer sk-tg-stranger", "content-type": "application/json" }
  expect((await fetch(url, { method: "POST", headers, body: "{}" })).status).toBe(401)
  const rejected = await caller.post(CHAT, chat("sim/none-of-that-name"))
  expect(rejected.status).toBe(404)
  const spans = await collector.spansOf(1)
  expect(spans).toHaveLength(1)
  expect(spans[0]).toMatchObject({
    name: `POST ${CHAT}`,
    kind: "server",
    isFailed: false,
    attributes: {
      "error.type": "model_not_found",
      "http.response.status_code": 404,
      "http.route": CHAT,
      "tollgate.request": rejected.headers.get("x-request-id") ?? "",
      "tollgate.key": caller.keyId,
    },
  })
})

test("a trace marks a stream that breaks as failed, and its upstream call too", async () => {
  using collector = new Collector()
  const models = { "sim/fault-cut": simulated() }
  await using gateway = await startTraced(collector, {}, { models })
  const caller = await gateway.caller("1")
  const response = await caller.post(CHAT, chat("sim/fault-cut", { stream: true }))
  await response.text().catch(() => undefined)
  const [request, attempt] = await collector.spansOf(2)
  for (const span of [request, attempt]) {
    expect(span).toMatchObject({ isFailed: true, attributes: { "error.type": "upstream_error" } })
  }
})

test("a trace has both steps of an audio translation and their upstream calls", async () => {
  using collector = new Collector()
  const audio = audioModels()
  await using gateway = await startTraced(
    collector,
    {},
    {
      ...audio,
      models: { ...audio.models, "sim/echo": simulated() },
      settings: { translationModel: "sim/echo" },
    },
  )
  const caller = await gateway.caller("10")
  const form = new FormData()
  form.append("model", "mistral/voxtral-mini")
  form.append("file", new File([wave(3)], "speech.wav"))
  const response = await fetch(`${gateway.url}/v1/audio/translations`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}` },
    body: form,
  })
  expect(response.status).toBe(200)
  const spans = await collector.spansOf(4)
  const [server] = spans.filter(({ kind }) => kind === "server")
  const [second] = spans.filter(({ kind }) => kind === "internal")
  expect(second?.parentSpanId).toBe(server?.spanId)
  for (const request of [server, second]) {
    const calls = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId)
    const own = calls.filter(({ kind }) => kind === "client")
    expect(own).toHaveLength(1)
    expect(own[0]?.attributes["gen_ai.operation.name"]).toBe(
      request?.attributes["gen_ai.operation.name"] ?? "",
    )
  }
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4)
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
})

test("a trace has no content, no secrets, and only the permitted data about the caller", async () => {
  using collector = new Collector()
  const models = { "sim/fault-500": simulated() }
  const vendorKey = "canary-of-a-vendor-key"
  await using gateway = await startTraced(
    collector,
    { namesCallers: false, propagates: true },
    { models, providersAt: (url) => ({ sim: { ...provider(`${url}/v1`), apiKey: vendorKey } }) },
  )
  const caller = await gateway.caller("1")
  const canary = "canary-of-a-prompt"
  const messages = [{ role: "user", content: canary }]
  for (const model of ["sim/echo", "sim/fault-500", "sim/none"]) {
    const body = { model, messages, user: canary, metadata: { canary } }
    await (await caller.post(`${CHAT}?canary=${canary}`, body, { "x-canary": canary })).text()
  }
  await collector.spansOf(5)
  const texts = collector.received.map(({ body }) => Buffer.from(body).toString("latin1"))
  const all = texts.join("\n")
  expect(all).toContain("tollgate.request")
  for (const secret of [canary, caller.key, vendorKey, caller.keyId, caller.account.id]) {
    expect(all).not.toContain(secret)
  }
})
