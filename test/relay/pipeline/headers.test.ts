import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import {
  type ScriptedVendor,
  startVendor,
  streamed,
  WHOLE_STREAM,
  wholeResponse,
} from "../scripted-vendor.ts"
import { CHAT, contentOf, dataOf, HELLO, nanocredits, receiptOf } from "../support.ts"

const OPERATOR_KEY = "sk-operator-secret-0123456789"
const HEADER_SECRET = "header-secret-0123456789"

/** Matches the only headers that a response may have. */
const OURS =
  /^(content-type|content-length|cache-control|date|transfer-encoding|connection|keep-alive|retry-after|request-id|x-request-id|x-should-retry|x-accel-buffering|x-tollgate-[a-z-]+|x-ratelimit-[a-z-]+)$/

let gateway: TestGateway
let caller: TestCaller
let vendor: ScriptedVendor

beforeAll(async () => {
  vendor = startVendor((request) => answerInDetail(request))
  const secret = { ...provider(vendor.url), apiKey: OPERATOR_KEY }
  gateway = await startGateway({
    providers: { leaky: { ...secret, headers: { "x-team": HEADER_SECRET } } },
    models: {
      "sim/fault-echo-headers": simulated(),
      "sim/fault-401": simulated(),
      "sim/fault-400-policy": simulated(),
      "leaky/whole": simulated(),
      "leaky/forbidden": simulated(),
      "leaky/bad-key": simulated(),
      "leaky/out-of-money": simulated(),
      "leaky/not-json": simulated(),
    },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

/** Returns a response of a vendor that reveals secrets in its headers and errors. */
function answerInDetail(request: Request): Response {
  const { model, stream } = vendor.bodies.at(-1) as { model: string; stream?: boolean }
  const key = request.headers.get("authorization")
  const message = `Incorrect API key provided: ${key}, team ${request.headers.get("x-team")}`
  const headers = { "x-vendor-secret": "canary", "x-tollgate-cost": "0", "retry-after": "7" }
  const failure = (status: number, code: string) =>
    Response.json({ error: { message, type: "x", code } }, { status, headers })
  if (model === "forbidden") return failure(403, "forbidden")
  if (model === "bad-key") return failure(400, "invalid_api_key")
  if (model === "out-of-money") return failure(429, "insufficient_quota")
  if (model === "not-json") return new Response(message, { headers })
  return stream ? streamed([WHOLE_STREAM]) : Response.json(wholeResponse(), { headers })
}

const chat = (body: object, headers: Record<string, string> = {}) =>
  caller.post(CHAT, { messages: HELLO, ...body }, headers)

function expectOnlyOurs(response: Response): void {
  const others = [...response.headers.keys()].filter((name) => !OURS.test(name))
  expect(others).toEqual([])
  expect([...response.headers.values()].join("\n")).not.toContain("canary")
}

describe("vendors' response headers", () => {
  const MODELS = ["sim/echo", "leaky/whole", "sim/fault-401", "sim/fault-400-policy"]
  for (const model of MODELS) {
    for (const stream of [false, true]) {
      test(`do not appear in the response of ${model}${stream ? ", streamed" : ""}`, async () => {
        const response = await chat({ model, stream })
        await response.text()
        expectOnlyOurs(response)
        expect(response.headers.get("x-request-id")).toStartWith("req_")
        expect(response.headers.get("request-id")).toBe(response.headers.get("x-request-id"))
        const cost = response.headers.get("x-tollgate-cost")
        if (response.ok && !stream) expect(Number(cost)).toBeGreaterThan(0)
        else expect(cost).toBeNull()
      })
    }
  }
})

describe("credentials in headers", () => {
  test("never reach the vendor if they belong to the caller", async () => {
    const extra = { "x-api-key": caller.key, cookie: `key=${caller.key}`, "x-other": "caller's" }
    const response = await chat({ model: "sim/fault-echo-headers", stream: true }, extra)
    const seen = contentOf(await response.text())
    expect(seen).not.toContain("sk-tg-")
    expect(seen).not.toContain("caller's")
    expect(JSON.parse(seen)).toMatchObject({
      authorization: "Bearer upstream",
      "user-agent": "tollgate",
    })
    const { headers, body } = gateway.simulator.requests.at(-1) ?? {}
    expect(JSON.stringify({ headers, body })).not.toContain("sk-tg-")
    for (const name of Object.keys(headers ?? {})) {
      expect(name).toMatch(
        /^(accept|accept-encoding|authorization|connection|content-length|content-type|host|user-agent)$/,
      )
    }
  })

  test("do not appear in a response if they belong to the operator", async () => {
    for (const name of ["whole", "forbidden", "bad-key", "out-of-money", "not-json"]) {
      for (const stream of [false, true]) {
        const response = await chat({ model: `leaky/${name}`, stream })
        const text = await response.text()
        const shown = text + JSON.stringify([...response.headers])
        expect(shown).not.toContain(OPERATOR_KEY)
        expect(shown).not.toContain(HEADER_SECRET)
        expect(shown).not.toContain("sk-operator")
        if (name !== "whole") expect([502, 503]).toContain(response.status)
        const receipt = JSON.stringify(await receiptOf(caller, response))
        expect(receipt).not.toContain("sk-operator")
      }
    }
    expect(JSON.stringify(gateway.heard, (_, value) => String(value))).not.toContain("sk-operator")
  })
})

describe("headers and fields that the gateway adds", () => {
  test("include the provider, cost and balance of a whole response", async () => {
    const response = await chat({ model: "sim/echo" })
    await response.text()
    const cost = nanocredits(response.headers.get("x-tollgate-cost") ?? "0")
    expect(cost).toBeGreaterThan(0n)
    expect(nanocredits((await receiptOf(caller, response)).cost)).toBe(cost)
    expect(nanocredits(response.headers.get("x-tollgate-balance") ?? "0")).toBe(
      await caller.balance(),
    )
    expect(response.headers.get("x-tollgate-provider")).toBe("sim")
    expect(response.headers.get("x-tollgate-losses")).toBeNull()
    expect(response.headers.get("x-tollgate-max-tokens")).toBeNull()
  })

  test("include the cost in the last usage object of a stream, before the end mark", async () => {
    const before = await caller.balance()
    const body = { model: "sim/echo", stream: true, stream_options: { include_usage: true } }
    const response = await chat(body)
    expect(response.headers.get("x-tollgate-provider")).toBe("sim")
    expect(nanocredits(response.headers.get("x-tollgate-balance") ?? "0")).toBe(before)
    expect(response.headers.get("x-tollgate-cost")).toBeNull()
    const frames = dataOf(await response.text())
    expect(frames.at(-1)).toBe("[DONE]")
    const { usage, choices } = JSON.parse(frames.at(-2) ?? "{}")
    expect(choices).toEqual([])
    expect(nanocredits(usage.cost.toFixed(9))).toBe(before - (await caller.balance()))
    expect(frames.slice(0, -2).join("")).not.toContain('"cost"')
  })

  test("include the names of lost fields", async () => {
    const { settings } = gateway
    const mistral = provider(`${gateway.simulator.url}/v1`, "mistral")
    await gateway.app.apply({
      ...settings,
      providers: { ...settings.providers, mistral },
      models: { ...settings.models, "mistral/echo": simulated() },
    })
    const response = await chat({ model: "mistral/echo", user: "somebody", temperature: 2 })
    expect(response.status).toBe(200)
    expect(response.headers.get("x-tollgate-losses")).toBe("temperature:approximated, user:dropped")
    const { body } = gateway.simulator.requests.at(-1) ?? {}
    expect(body).toMatchObject({ temperature: 1.5 })
    expect(body).not.toHaveProperty("user")
    const receipt = (await receiptOf(caller, response)) as unknown as { losses: unknown[] }
    expect(receipt.losses).toHaveLength(2)
  })
})

test("every response has a request id, even if no vendor was called", async () => {
  for (const path of ["/healthz", "/readyz", "/v1/models", "/v1/credits", "/v1/nothing"]) {
    const response = await caller.get(path)
    expect(response.headers.get("x-request-id")).toStartWith("req_")
    expect(response.headers.get("request-id")).toBe(response.headers.get("x-request-id"))
    await response.text()
  }
})

test("a path with invalid percent-encoding returns 404", async () => {
  for (const path of ["/v1/models/%E0%A4%A", "/v1/models/sim/%ZZ", "/v1/receipts/%E0%A4%A"]) {
    expect((await caller.get(path)).status).toBe(404)
  }
})

test("a response of a vendor that starts with a byte order mark is accepted", async () => {
  using vendor = startVendor(() => new Response(`\uFEFF${JSON.stringify(wholeResponse("marked"))}`))
  await using marked = await startGateway({
    providers: { scripted: provider(vendor.url) },
    models: { "scripted/x": simulated() },
  })
  const response = await (
    await marked.caller()
  ).post(CHAT, { model: "scripted/x", messages: HELLO })
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
  expect(choices[0]?.message.content).toBe("marked")
})
