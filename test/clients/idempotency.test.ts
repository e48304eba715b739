import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, expect, test } from "bun:test"
import OpenAI, { toFile } from "openai"
import { audioModels, heardIn, wave } from "../support/audio.ts"
import { simulated, startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"
import { receiptsOf } from "../relay/support.ts"
import { startCuttingProxy } from "./cutting-proxy.ts"

let gateway: TestGateway

beforeAll(async () => {
  const audio = audioModels()
  gateway = await startGateway({
    ...audio,
    models: { ...audio.models, "sim/echo": simulated() },
  })
})

afterAll(() => gateway[Symbol.asyncDispose]())

const MESSAGES = [{ role: "user" as const, content: "Hello there" }]
const CHAT = { model: "sim/echo", messages: MESSAGES }

/** A client that adds an idempotency key, which is the same for all attempts of a request. */
class KeyedOpenAI extends OpenAI {
  override idempotencyHeader = "Idempotency-Key"
}

/** Numbers of bytes after which the client's connections break: before the response, and in its middle. */
const CUTS = [[0], [150], [0, 150]] as const

async function expectOneCharge(
  cuts: readonly number[],
  ask: (caller: TestCaller, url: string) => Promise<void>,
): Promise<void> {
  using proxy = startCuttingProxy(gateway.url, cuts)
  const caller = await gateway.caller("10")
  const before = gateway.simulator.requests.length
  await ask(caller, proxy.url)
  expect(proxy.cuts()).toBe(cuts.length)
  expect(gateway.simulator.requests.length - before).toBe(1)
  expect(receiptsOf(gateway, caller)).toMatchObject([{ status: "settled" }])
}

for (const cuts of CUTS) {
  const name = `with connections cut after ${cuts.join(" and ")} bytes`

  test(`OpenAI's client retries ${name} with one call and one charge`, async () => {
    await expectOneCharge(cuts, async ({ key }, url) => {
      const client = new KeyedOpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 3 })
      const { choices } = await client.chat.completions.create(CHAT)
      expect(choices[0]?.message.content).toContain("Hello")
    })
  })

  test(`Anthropic's client retries ${name} with one call and one charge`, async () => {
    await expectOneCharge(cuts, async ({ key }, url) => {
      const client = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 3 })
      const headers = { "Idempotency-Key": crypto.randomUUID() }
      const order = { ...CHAT, max_tokens: 50 }
      const { content } = await client.messages.create(order, { headers })
      expect(content).toMatchObject([{ type: "text" }])
    })
  })
}

test("OpenAI's client retries an upload with one call and one charge", async () => {
  const sound = wave(3)
  await expectOneCharge([0], async ({ key }, url) => {
    const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 3 })
    const { text } = await client.audio.transcriptions.create(
      { file: await toFile(sound, "speech.wav"), model: "sim/whisper-1" },
      { headers: { "Idempotency-Key": "upload" } },
    )
    expect(text).toBe(heardIn(sound))
  })
})

test("a complete stream is returned again for a second request with its idempotency key", async () => {
  const caller = await gateway.caller("10")
  const client = new OpenAI({ apiKey: caller.key, baseURL: `${gateway.url}/v1` })
  const read = async (): Promise<unknown[]> => {
    const headers = { "Idempotency-Key": "stream" }
    const stream = await client.chat.completions.create({ ...CHAT, stream: true }, { headers })
    return Array.fromAsync(stream)
  }
  const first = await read()
  expect(first.length).toBeGreaterThan(2)
  expect(await read()).toEqual(first)
  expect(receiptsOf(gateway, caller)).toHaveLength(1)
})
