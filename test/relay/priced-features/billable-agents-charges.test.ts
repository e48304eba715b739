import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway } from "../../support/gateway.ts"
import { completion, framesOf, response } from "../billable-frames.ts"
import { streamed } from "../scripted-vendor.ts"
import {
  CHAT,
  HELLO,
  nanocredits,
  nothingHeld,
  onlyReceipt,
  readUntil,
  receiptOf,
} from "../support.ts"
import { until } from "../../support/until.ts"
import {
  gateway,
  type Json,
  MESSAGES,
  RESPONSES,
  setUp,
  tearDown,
  vendor,
  vendorDoes,
  whenAsked,
} from "./billable-agents-world.ts"

beforeAll(setUp)
afterAll(tearDown)

describe("charges for performed searches", () => {
  test("apply even if the caller disconnects before the response ends", async () => {
    const search = { type: "web_search_call", id: "ws_1", action: { type: "search", query: "q" } }
    const frames = framesOf(RESPONSES, response([search]))
    const delta = {
      type: "response.output_text.delta",
      output_index: 1,
      content_index: 0,
      item_id: "msg_1",
      delta: "Hello",
    }
    vendorDoes.response = () =>
      streamed([
        ...frames.slice(0, 3),
        `event: ${delta.type}\ndata: ${JSON.stringify(delta)}\n\n`,
        60_000,
      ])
    const caller = await gateway.caller("10")
    const leaving = new AbortController()
    const asked = await fetch(`${gateway.url}${RESPONSES}`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "gpt/plain",
        input: "Hi",
        stream: true,
        max_output_tokens: 50,
        tools: [{ type: "web_search" }],
      }),
      signal: leaving.signal,
    })
    const reader = asked.body?.getReader()
    if (!reader) throw new Error("no body")
    await readUntil(reader, (text) => text.includes("Hello"))
    leaving.abort()
    const receipt = await onlyReceipt(gateway, caller)
    expect(receipt).toMatchObject({ status: "settled", estimated: true, usage: { search: 1 } })
    expect(nanocredits(receipt.cost)).toBeGreaterThan(10_000_000n)
  })
})

describe("an uncharged number in a usage object", () => {
  test("causes one report to the operator for each name and deployment", async () => {
    const usage = { teleports: 3, completion_tokens_details: { dreams: 2, reasoning_tokens: 1 } }
    whenAsked(CHAT, completion({}, usage))
    const caller = await gateway.caller("10")
    const own = await startGateway({
      providers: { one: provider(vendor.url) },
      models: { "one/m": simulated() },
    })
    try {
      const other = await own.caller("10")
      for (const stream of [false, true, false]) {
        const asked = await other.post(CHAT, {
          model: "one/m",
          messages: HELLO,
          stream,
        })
        expect(asked.status).toBe(200)
        await asked.text()
      }
      await nothingHeld(other)
      const alarms = () => own.heard.filter(({ name }) => name === "usageUncharged")
      await until(() => alarms().length >= 2)
      expect(alarms().map(({ facts }) => facts.slice(1))).toEqual([
        ["one/m", "teleports"],
        ["one/m", "dreams"],
      ])
    } finally {
      await own[Symbol.asyncDispose]()
    }
    expect(await caller.balance()).toBe(10_000_000_000n)
  })
})

describe("the sandbox", () => {
  const ways: readonly [string, string, string, Json][] = [
    [
      "openai",
      "/v1",
      RESPONSES,
      { input: "search: weather search: news", tools: [{ type: "web_search" }] },
    ],
    [
      "anthropic",
      "",
      MESSAGES,
      {
        messages: [{ role: "user", content: "search: weather search: news search: more" }],
        tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 2 }],
        max_tokens: 100,
      },
    ],
  ]

  for (const [id, path, endpoint, body] of ways) {
    for (const stream of [false, true]) {
      test(`simulates searches of ${id}, ${stream ? "streamed" : "whole"}`, async () => {
        await using own = await startGateway({
          providersAt: (url) => ({
            own: {
              ...provider(url + path, id),
              ...(id === "openai" ? { dialects: ["openai-responses"] } : {}),
            },
          }),
          models: {
            "own/echo": simulated({ deployments: [{ provider: "own", model: "echo", weight: 1 }] }),
          },
        })
        const caller = await own.caller("10")
        const asked = await caller.post(endpoint, { model: "own/echo", stream, ...body })
        const text = await asked.text()
        expect(asked.status, text).toBe(200)
        const receipt = await receiptOf(caller, asked)
        expect(receipt.usage).toMatchObject({ search: 2 })
        expect(nanocredits(receipt.cost)).toBeGreaterThan(20_000_000n)
      })
    }
  }

  test("returns the service tier that was requested", async () => {
    await using own = await startGateway({
      providersAt: (url) => ({
        own: { ...provider(`${url}/v1`), prices: { modes: { priority: "2" } } },
      }),
      models: { "own/echo": simulated() },
    })
    const caller = await own.caller("10")
    const body = { model: "own/echo", messages: HELLO, max_tokens: 20 }
    const plain = await receiptOf(caller, await caller.post(CHAT, body))
    const fast = await receiptOf(
      caller,
      await caller.post(CHAT, { ...body, service_tier: "priority" }),
    )
    expect(nanocredits(fast.cost)).toBe(2n * nanocredits(plain.cost))
  })
})
