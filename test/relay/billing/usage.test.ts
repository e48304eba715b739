import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import {
  DONE,
  frame,
  type ScriptedVendor,
  startVendor,
  streamed,
  usageFrame,
  wholeResponse,
} from "../scripted-vendor.ts"
import {
  CHAT,
  contentOf,
  creditsOf,
  dataOf,
  HELLO,
  nanocredits,
  nothingHeld,
  type Receipt,
  receiptOf,
  streamErrorOf,
} from "../support.ts"

let gateway: TestGateway
let vendor: ScriptedVendor

beforeAll(async () => {
  vendor = startVendor(() => {
    if (vendor.bodies.at(-1)?.["model"] === "rereads") return rereading()
    if (vendor.bodies.at(-1)?.["stream"] !== true) {
      return Response.json({
        ...wholeResponse(),
        usage: { prompt_tokens: 10, completion_tokens: 1 },
      })
    }
    const { model } = vendor.bodies.at(-1) ?? {}
    if (String(model).startsWith("breaking-")) return breaking(String(model))
    const error = `data: {"error":{"message":"The disk is full.","type":"server_error"}}\n\n`
    return streamed([frame("one "), frame("two ") + frame("three") + error])
  })
  gateway = await startGateway({
    providers: { scripted: provider(vendor.url) },
    models: {
      "sim/fault-no-usage": simulated(),
      "sim/fault-wrong-usage": simulated(),
      "scripted/per-request": simulated({ price: { input: "1", output: "2", request: "5000" } }),
      "scripted/breaking": simulated(),
      "scripted/breaking-counted": simulated(),
      "scripted/breaking-later": simulated(),
      "scripted/rereads": simulated({ price: { input: "100", output: "2" } }),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

/**
 * Returns a response for which the vendor has read far more than the gateway sent, such as results of the vendor's own
 * tools.
 */
function rereading(): Response {
  if (vendor.bodies.at(-1)?.["stream"] === true) {
    return streamed([frame("Hello"), frame("", "stop"), usageFrame(90_000, 1), DONE])
  }
  return Response.json({
    ...wholeResponse(),
    usage: { prompt_tokens: 90_000, completion_tokens: 1, total_tokens: 90_001 },
  })
}

/** Returns a stream that fails, with the usage in the error frame or in the next frame. */
function breaking(model: string): Response {
  const error = { message: "The disk is full.", code: 502 }
  const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model }
  const usage = { prompt_tokens: 43, completion_tokens: 10, total_tokens: 53 }
  const failed = model === "breaking-counted" ? { ...chunk, choices: [], usage, error } : { error }
  const rest = model === "breaking-counted" ? "" : usageFrame(43, 10)
  return streamed([frame("one "), `data: ${JSON.stringify(failed)}\n\n${rest}`])
}

interface Outcome {
  readonly receipt: Receipt
  readonly response: Response
  readonly text: string
}

async function ask(caller: TestCaller, model: string, stream: boolean): Promise<Outcome> {
  const response = await caller.post(CHAT, { model, messages: HELLO, stream })
  expect(response.status).toBe(200)
  const text = await response.text()
  const receipt = await receiptOf(caller, response)
  await nothingHeld(caller)
  return { receipt, response, text }
}

for (const stream of [false, true]) {
  const way = stream ? "streamed" : "whole"
  for (const model of ["sim/fault-no-usage", "sim/fault-wrong-usage"]) {
    test(`missing usage raises an alarm, and the gateway charges by its own count: ${model}, ${way}`, async () => {
      const caller = await gateway.caller("1")
      const { receipt } = await ask(caller, model, stream)
      expect(receipt).toMatchObject({ status: "settled", estimated: true })
      // "Hello there, gateway" has four tokens, and each message costs four more.
      expect(receipt.usage).toEqual({ input: 8, output: 4 })
      expect(await caller.balance()).toBe(1_000_000_000n - 8n * 1_000n - 4n * 2_000n)
      const facts = [receipt.id, model]
      expect(gateway.heard).toContainEqual({ name: "usageMissing", facts })
    })
  }

  test(`a cost above its hold is charged to the balance, ${way}`, async () => {
    const caller = await gateway.caller("100")
    const { receipt } = await ask(caller, "scripted/rereads", stream)
    expect(receipt.usage).toEqual({ input: 90_000, output: 1 })
    const cost = nanocredits(receipt.cost)
    expect(cost).toBeGreaterThan(nanocredits(receipt.hold))
    expect(await caller.balance()).toBe(100_000_000_000n - cost)
    expect(gateway.heard.filter(({ facts }) => facts[0] === receipt.id)).toEqual([])
  })

  test(`a cost above the balance uses up the balance, and the rest is written off with an alarm, ${way}`, async () => {
    const caller = await gateway.caller("1")
    const { receipt, text, response } = await ask(caller, "scripted/rereads", stream)
    expect(await caller.balance()).toBe(0n)
    const cost = nanocredits(receipt.cost)
    const facts = [receipt.id, cost - 1_000_000_000n, "account_empty"]
    expect(gateway.heard).toContainEqual({ name: "writtenOff", facts })
    expect(receipt).toMatchObject({ charged: "1" })
    // The caller receives the charged cost.
    if (!stream) expect(response.headers.get("x-tollgate-cost")).toBe("1")
    if (stream) expect(contentOf(text)).toBe("Hello")
    expect(await creditsOf(caller)).toMatchObject({ balance: "0", held: "0", available: "0" })
    const rejected = await caller.post(CHAT, { model: "sim/echo", messages: HELLO })
    expect(rejected.status).toBe(402)
  })
}

test("a key's budget is never overdrawn", async () => {
  const caller = await gateway.caller("100", { budget: 500_000_000n })
  await ask(caller, "scripted/rereads", false)
  expect(await caller.balance()).toBe(99_500_000_000n)
  const credits = (await (await caller.get("/v1/credits")).json()) as { key: object }
  expect(credits.key).toMatchObject({ budget: "0.5", budget_left: "0" })
})

test("the price per request is charged in addition to the tokens", async () => {
  const caller = await gateway.caller("1")
  const { receipt } = await ask(caller, "scripted/per-request", false)
  expect(receipt.usage).toEqual({ input: 10, output: 1, request: 1 })
  expect(await caller.balance()).toBe(1_000_000_000n - 10n * 1_000n - 2_000n - 5_000_000n)
})

describe("a stream that breaks", () => {
  for (const model of ["scripted/breaking-counted", "scripted/breaking-later"]) {
    test(`costs the usage that the vendor reports in the error: ${model}`, async () => {
      const caller = await gateway.caller("1")
      const { receipt, text } = await ask(caller, model, true)
      expect(receipt).toMatchObject({ status: "settled", estimated: false })
      expect(receipt.usage).toEqual({ input: 43, output: 10 })
      const last = JSON.parse(dataOf(text).at(-1) ?? "{}") as Record<string, unknown>
      expect(last["error"]).toMatchObject({ error_type: "upstream_error" })
      if (model.endsWith("later")) return
      // The caller receives the other fields of this frame.
      expect(last).toMatchObject({
        id: "chatcmpl-1",
        model,
        choices: [],
        usage: { prompt_tokens: 43, completion_tokens: 10 },
      })
    })
  }

  test("costs only the forwarded part if the vendor reports no usage", async () => {
    const caller = await gateway.caller("1")
    const { receipt, text } = await ask(caller, "scripted/breaking", true)
    expect(text).toContain("three")
    expect(streamErrorOf(text).message).toContain("failed while it answered.")
    expect(receipt).toMatchObject({ status: "settled", estimated: true })
    expect(receipt.usage).toEqual({ input: 8, output: 3 })
    expect(receipt.attempts).toMatchObject([{ status: 200, outcome: "upstream_error" }])
    // The vendor reported an error, so its missing usage causes no `usageMissing` event.
    expect(gateway.heard).not.toContainEqual({
      name: "usageMissing",
      facts: [receipt.id, "scripted/breaking"],
    })
  })
})
