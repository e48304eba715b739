import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { MAX_QUANTITY } from "../../../src/accounting/maxima.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
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
  wholeResponse,
} from "../scripted-vendor.ts"
import { CHAT, HELLO, nanocredits, nothingHeld, type Receipt, receiptOf } from "../support.ts"

/** A stored receipt, with the numbers that the vendor reported beyond the maximum. */
interface BoundReceipt extends Receipt {
  readonly usage_reported?: Readonly<Record<string, number>>
  readonly usage_beyond_bound?: boolean
}

const CREDITS = 100_000_000_000n

let vendor: ScriptedVendor
let gateway: TestGateway
let usage: JsonObject = {}
let said = "Hello"

beforeAll(async () => {
  vendor = startVendor((request) => {
    const { model, stream } = vendor.bodies.at(-1) ?? {}
    if (request.url.endsWith("/embeddings")) {
      const data = [{ object: "embedding", index: 0, embedding: [1, 2] }]
      return Response.json({ object: "list", model, data, usage })
    }
    if (stream !== true) return Response.json({ ...wholeResponse(said), usage })
    const last = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model, usage }
    const told = `data: ${JSON.stringify({ ...last, choices: [] })}\n\n`
    return streamed([frame(said), frame("", "stop"), told, DONE])
  })
  gateway = await startGateway({
    providers: { scripted: provider(vendor.url, "vllm") },
    models: {
      "scripted/known": simulated(),
      "scripted/unknown": { kind: "chat", price: { input: "1", output: "2" } },
      "scripted/vectors": { kind: "embedding", price: { input: "1" } },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

async function ask(
  body: JsonObject,
  path = CHAT,
): Promise<{ caller: TestCaller; receipt: BoundReceipt; paid: bigint }> {
  const caller = await gateway.caller("100")
  const response = await caller.post(path, body)
  expect(response.status).toBe(200)
  await response.text()
  const receipt = (await receiptOf(caller, response)) as BoundReceipt
  await nothingHeld(caller)
  return { caller, receipt, paid: CREDITS - (await caller.balance()) }
}

/** Returns the names of the events that the operator received for a request. */
function alarmsOf({ id }: Receipt): string[] {
  return gateway.heard.filter(({ facts }) => facts[0] === id).map(({ name }) => name)
}

const ABSURD = [1e15, 2 ** 53, 1e308, "1e15"]

describe("charges for usage above the possible maximum", () => {
  for (const stream of [false, true]) {
    for (const count of ABSURD) {
      test(`stop at max_tokens for ${count} output tokens, ${stream ? "streamed" : "whole"}`, async () => {
        usage = { prompt_tokens: 10, completion_tokens: count }
        const body = { model: "scripted/known", messages: HELLO, max_tokens: 100, stream }
        const { receipt, paid } = await ask(body)
        expect(receipt.usage).toEqual({ input: 10, output: 100 })
        expect(receipt).toMatchObject({ estimated: false, usage_beyond_bound: true })
        expect(receipt.usage_reported?.["output"]).toBe(MAX_QUANTITY)
        expect(paid).toBe(10n * 1_000n + 100n * 2_000n)
        expect(nanocredits(receipt.cost)).toBe(paid)
        expect(alarmsOf(receipt)).toEqual(["writtenOff"])
      })
    }
  }

  test("stop at the model's context length for input tokens", async () => {
    usage = { prompt_tokens: 2 ** 53, completion_tokens: 1 }
    const { receipt } = await ask({ model: "scripted/known", messages: HELLO })
    expect(receipt.usage).toEqual({ input: 100_000, output: 1 })
  })

  test("stop at the bytes of a request that is longer than the model's context", async () => {
    usage = { prompt_tokens: 150_000, completion_tokens: 1 }
    const messages = [{ role: "user", content: "a".repeat(200_000) }]
    const { receipt, paid } = await ask({ model: "scripted/known", messages })
    expect(receipt).toMatchObject({ usage: { input: 150_000, output: 1 } })
    expect(receipt.usage_beyond_bound).toBeUndefined()
    expect(alarmsOf(receipt)).toEqual([])
    expect(paid).toBe(150_000n * 1_000n + 2_000n)
  })

  test.each([
    [300_000, "0.102"],
    [600_000, "0.152"],
  ])(
    "require a hold of at least the model's context for a text of %i bytes",
    async (bytes, hold) => {
      usage = { prompt_tokens: bytes / 5, completion_tokens: 1 }
      const messages = [{ role: "user", content: "word ".repeat(bytes / 5) }]
      const { receipt } = await ask({ model: "scripted/known", messages })
      expect(Number(receipt.hold)).toBeCloseTo(Number(hold), 3)
      expect(receipt.usage).toEqual({ input: bytes / 5, output: 1 })
    },
  )

  test("stop at a few times the bytes of the request if the model's context length is unknown", async () => {
    usage = { prompt_tokens: 1e308, completion_tokens: 1 }
    const { paid } = await ask({ model: "scripted/unknown", messages: HELLO })
    expect(paid).toBeLessThan(10_000_000n)
    expect(paid).toBeGreaterThan(100_000n)
  })

  test("stop at the model's context length for cached tokens", async () => {
    const details = { cached_tokens: 1e15 }
    usage = { prompt_tokens: 1e15, completion_tokens: 1, prompt_tokens_details: details }
    const { receipt } = await ask({ model: "scripted/known", messages: HELLO })
    expect(receipt.usage).toEqual({ cached_input: 100_000, output: 1 })
  })

  test("stop at max_tokens per choice for the output of several choices", async () => {
    usage = { prompt_tokens: 10, completion_tokens: 1e15 }
    const body = { model: "scripted/known", messages: HELLO, max_tokens: 100, n: 3 }
    expect((await ask(body)).receipt.usage).toEqual({ input: 10, output: 300 })
  })

  test("stop at the bytes of the request for embeddings", async () => {
    usage = { prompt_tokens: 1e15, total_tokens: 1e15 }
    const { receipt, paid } = await ask(
      { model: "scripted/vectors", input: "Hello" },
      "/v1/embeddings",
    )
    expect(paid).toBeLessThan(100_000n)
    expect(receipt.usage_beyond_bound).toBe(true)
    expect(alarmsOf(receipt)).toEqual(["writtenOff"])
  })
})

test("usage that is high but possible is charged as reported", async () => {
  usage = { prompt_tokens: 90_000, completion_tokens: 100 }
  const { receipt } = await ask({ model: "scripted/known", messages: HELLO, max_tokens: 100 })
  expect(receipt.usage).toEqual({ input: 90_000, output: 100 })
  expect(receipt.usage_beyond_bound).toBeUndefined()
  expect(alarmsOf(receipt)).toEqual([])
})

test("a vendor's minimum number of tokens is charged even above the requested limit", async () => {
  usage = { prompt_tokens: 90, completion_tokens: 16 }
  const { receipt } = await ask({ model: "scripted/known", messages: HELLO, max_tokens: 3 })
  expect(receipt.usage).toEqual({ input: 90, output: 16 })
})

describe("charges for output beyond max_tokens", () => {
  beforeAll(() => {
    said = "word ".repeat(2_000)
  })
  afterAll(() => {
    said = "Hello"
  })

  for (const stream of [false, true]) {
    test(`include output that was delivered, ${stream ? "streamed" : "whole"}`, async () => {
      usage = { prompt_tokens: 10, completion_tokens: 2_001 }
      const body = { model: "scripted/known", messages: HELLO, max_tokens: 16, stream }
      const { receipt, paid } = await ask(body)
      expect(receipt.usage).toEqual({ input: 10, output: 2_001 })
      expect(receipt.usage_beyond_bound).toBeUndefined()
      expect(paid).toBe(10n * 1_000n + 2_001n * 2_000n)
    })

    test(`stop at the maximum possible amount, ${stream ? "streamed" : "whole"}`, async () => {
      usage = { prompt_tokens: 10, completion_tokens: 1e15 }
      const body = { model: "scripted/known", messages: HELLO, max_tokens: 16, stream }
      const { receipt } = await ask(body)
      expect(receipt.usage).toEqual({ input: 10, output: 10_000 })
      expect(receipt.usage_beyond_bound).toBe(true)
    })
  }
})

describe("a requested output limit above the model's maximum", () => {
  test("becomes the model's maximum in the hold and in the request to the vendor", async () => {
    usage = { prompt_tokens: 10, completion_tokens: 1 }
    const caller = await gateway.caller("1")
    const body = { model: "scripted/known", messages: HELLO, max_tokens: 1e9 }
    const response = await caller.post(CHAT, body)
    expect(vendor.bodies.at(-1)).toMatchObject({ max_tokens: 1_000 })
    expect(response.headers.get("x-tollgate-max-tokens")).toBe("1000")
    const { hold } = await receiptOf(caller, response)
    expect(nanocredits(hold)).toBeLessThan(3_000_000n)
  })
})
