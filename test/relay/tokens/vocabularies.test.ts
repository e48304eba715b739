import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type AccountCounter, TokenCounter } from "../../../src/relay/tokens/token-counter.ts"
import { characterCounts, mostTokens } from "../../../src/relay/tokens/vocabularies.ts"
import { WorkerPool } from "../../../src/workers/worker-pool.ts"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, wholeResponse } from "../scripted-vendor.ts"
import { CHAT } from "../support.ts"
import { MODELS, SAMPLES } from "../vocabulary-samples.ts"

let pool: WorkerPool
let counter: AccountCounter

beforeAll(() => {
  pool = new WorkerPool({ deadlineMs: 60_000 })
  counter = new TokenCounter(pool).of("account")
})

afterAll(() => pool[Symbol.dispose]())

async function boundOf(text: string, model: string): Promise<number> {
  const tokens = await counter.count(text)
  if (tokens === undefined) throw new Error("the text was not counted in time")
  const most = mostTokens({ tokens, characters: characterCounts(text) }, [model])
  return Math.min(most, Buffer.byteLength(text))
}

describe("the tokens held for a text", () => {
  for (const { name, text, counts } of SAMPLES) {
    test(`cover the token counts of published tokenizers: ${name}`, async () => {
      for (const [index, model] of MODELS.entries()) {
        const counted = counts[index] ?? 0
        expect(await boundOf(text, model), model).toBeGreaterThanOrEqual(counted)
        expect(await boundOf(text, "a-model-that-nobody-knows")).toBeGreaterThanOrEqual(counted)
      }
    })
  }

  test("cover line breaks with carriage returns, which Gemma counts one by one", async () => {
    const breaks = "\r\n".repeat(400)
    expect(await boundOf(breaks, "gemini-2.5-flash")).toBe(breaks.length)
    expect(await boundOf(breaks, "a-model-that-nobody-knows")).toBe(breaks.length)
    expect(await boundOf(breaks, "gpt-5")).toBeLessThan(breaks.length)
  })

  test("cover a repeated letter, for which o200k has longer tokens", async () => {
    const letters = "\u0436".repeat(800)
    expect(await boundOf(letters, "gemini-2.5-flash")).toBeGreaterThanOrEqual(800)
  })

  test("stay below a quarter of the bytes if the tokenizer is known", async () => {
    const hindi = SAMPLES.find(({ name }) => name === "hindi")?.text ?? ""
    expect(await boundOf(hindi, "gemini-2.5-flash")).toBeLessThan(Buffer.byteLength(hindi) / 4)
    expect(await boundOf(hindi, "gpt-5")).toBeLessThan(Buffer.byteLength(hindi) / 4)
  })
})

describe("a prompt with a low balance for a model with another tokenizer", () => {
  const hindi = SAMPLES.find(({ name }) => name === "hindi")
  const times = 100
  let vendor: ScriptedVendor
  let gateway: TestGateway

  beforeAll(async () => {
    const input = (hindi?.counts[3] ?? 0) * times
    const usage = { prompt_tokens: input, completion_tokens: 1, total_tokens: input + 1 }
    vendor = startVendor(() => Response.json({ ...wholeResponse(), usage }))
    gateway = await startGateway({
      providers: { old: provider(vendor.url) },
      models: { "old/llama-2-70b": simulated() },
    })
  })

  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    vendor[Symbol.dispose]()
  })

  test("requires a hold for the maximum cost, so that nothing is written off", async () => {
    const caller = await gateway.caller("0.1")
    const messages = [{ role: "user", content: hindi?.text.repeat(times) ?? "" }]
    const body = { model: "old/llama-2-70b", messages, max_tokens: 16 }
    const responses = await Promise.all(Array.from({ length: 12 }, () => caller.post(CHAT, body)))
    const statuses = responses.map(({ status }) => status)
    expect(statuses).toContain(200)
    // The credits are enough for only some of the requests.
    expect(statuses.some((status) => status === 402 || status === 429)).toBe(true)
    await Promise.all(responses.map((response) => response.text()))
    expect(gateway.heard.filter(({ name }) => name === "writtenOff")).toEqual([])
  })
})
