import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ModelSettings, ProviderSettings } from "../../../src/config/settings.ts"
import {
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { CHAT, contentOf, creditsOf, errorOf, HELLO, receiptOf } from "../support.ts"
import { until } from "../../support/until.ts"

const GRANT = 10

let gateway: TestGateway
let caller: TestCaller

function deployed(...deployments: readonly [provider: string, model: string][]): ModelSettings {
  return simulated({
    deployments: deployments.map(([provider, model], index) => ({
      provider,
      model,
      weight: index === 0 ? 1 : 0,
    })),
  })
}

function providersAt(url: string): Record<string, ProviderSettings> {
  const rest = { headers: {}, knownModels: false, origin: "file" } as const
  return {
    claude: { vendor: "anthropic", apiKey: "key", baseUrl: url, ...rest },
    google: { vendor: "google", apiKey: "key", baseUrl: url, ...rest },
    groq: { vendor: "groq", apiKey: "key", baseUrl: `${url}/v1`, ...rest },
  }
}

beforeAll(async () => {
  gateway = await startGateway({
    providersAt,
    models: {
      "sim/claude": deployed(["claude", "claude-sonnet-4-5"]),
      "sim/claude-else-chat": deployed(["claude", "claude-sonnet-4-5"], ["sim", "echo"]),
      "sim/broken-else-chat": deployed(["claude", "fault-500"], ["sim", "echo"]),
      "sim/broken-else-claude": deployed(["sim", "fault-500"], ["claude", "claude-sonnet-4-5"]),
      "groq/echo": simulated(),
      "sim/flooded-claude": deployed(["claude", "fault-429"]),
    },
  })
  caller = await gateway.caller(String(GRANT))
})

afterAll(() => gateway[Symbol.asyncDispose]())

describe("translations with losses", () => {
  const SEEDED = { messages: HELLO, seed: 7 }
  const STRICT = { "x-tollgate-strict": "true" }

  test("fail for a strict caller without a call or a charge, and the error names the losses", async () => {
    const asked = gateway.simulator.requests.length
    const response = await caller.post(CHAT, { model: "sim/claude", ...SEEDED }, STRICT)
    const error = await errorOf(response)
    expect(error).toMatchObject({ status: 400, code: "not_carried", error_type: "not_carried" })
    expect(error.message).toContain("seed")
    expect(gateway.simulator.requests.length).toBe(asked)
    expect(await creditsOf(caller)).toMatchObject({ held: "0", balance: String(GRANT) })
  })

  test("do not happen for a strict caller if a deployment loses nothing", async () => {
    const model = "sim/claude-else-chat"
    const response = await caller.post(CHAT, { model, ...SEEDED }, STRICT)
    expect(response.status).toBe(200)
    expect(response.headers.get("x-tollgate-provider")).toBe("sim")
    expect(response.headers.has("x-tollgate-losses")).toBe(false)
  })

  test("report the losses to other callers with the response", async () => {
    const response = await caller.post(CHAT, { model: "sim/claude", ...SEEDED })
    expect(response.status).toBe(200)
    expect(response.headers.get("x-tollgate-losses")).toBe("seed:dropped")
    expect(await receiptOf(caller, response)).toMatchObject({
      losses: [{ name: "seed", effect: "dropped" }],
    })
  })

  test("cause an error if the strict option has an invalid value", async () => {
    const body = { model: "sim/echo", messages: HELLO }
    const error = await errorOf(await caller.post(CHAT, body, { "x-tollgate-strict": "perhaps" }))
    expect(error).toMatchObject({ status: 400, code: "invalid_value" })
  })
})

describe("a deployment of another dialect", () => {
  for (const stream of [false, true]) {
    const how = stream ? "streamed" : "whole"
    for (const [model, provider] of [
      ["sim/broken-else-chat", "sim"],
      ["sim/broken-else-claude", "claude"],
    ] as const) {
      test(`responses after the first deployment has failed: ${model}, ${how}`, async () => {
        const response = await caller.post(CHAT, { model, messages: HELLO, stream })
        expect(response.status).toBe(200)
        expect(response.headers.get("x-tollgate-provider")).toBe(provider)
        const text = await response.text()
        const content = stream
          ? contentOf(text)
          : (JSON.parse(text) as { choices: { message: { content: string } }[] }).choices[0]
              ?.message.content
        expect(content).toBe("Hello there, gateway")
        const { attempts } = await receiptOf(caller, response)
        expect(attempts.map(({ outcome }) => outcome)).toEqual(["upstream_error", "ok"])
      })
    }
  }
})

describe("several choices of a vendor that returns one per call", () => {
  test("require several calls and result in one charge", async () => {
    const asked = gateway.simulator.requests.length
    const body = { model: "sim/claude", messages: HELLO, n: 3 }
    const response = await caller.post(CHAT, body)
    const answer = (await response.json()) as {
      choices: { index: number }[]
      usage: { prompt_tokens: number; completion_tokens: number }
    }
    expect(answer.choices.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(gateway.simulator.requests.length).toBe(asked + 3)
    const { usage, attempts } = await receiptOf(caller, response)
    expect(attempts).toHaveLength(3)
    expect(usage).toEqual({
      input: answer.usage.prompt_tokens,
      output: answer.usage.completion_tokens,
    })
  })

  test("have separate indexes in a stream, and the stream reports the total usage", async () => {
    const body = {
      model: "sim/claude",
      messages: HELLO,
      n: 2,
      stream: true,
      stream_options: { include_usage: true },
    }
    const response = await caller.post(CHAT, body)
    const chunks = (await response.text())
      .split("\n\n")
      .filter((frame) => frame.startsWith("data: {"))
      .map((frame) => JSON.parse(frame.slice("data: ".length)) as Chunk)
    const finished = chunks.flatMap(({ choices }) => choices).filter((one) => one.finish_reason)
    expect(finished.map(({ index }) => index).toSorted()).toEqual([0, 1])
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    const { usage } = await receiptOf(caller, response)
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(usage?.output ?? -1)
  })

  test("form one response even if the vendor uses the caller's own dialect", async () => {
    const asked = gateway.simulator.requests.length
    const body = { model: "groq/echo", messages: HELLO, n: 2, service_tier: "flex" }
    const response = await caller.post(CHAT, body)
    const answer = (await response.json()) as { choices: { index: number }[] }
    expect(answer.choices.map(({ index }) => index)).toEqual([0, 1])
    const sent = gateway.simulator.requests.slice(asked).map((request) => request.body)
    expect(sent).toHaveLength(2)
    for (const one of sent) expect(one).toMatchObject({ model: "echo", service_tier: "flex" })
    for (const one of sent) expect(one).not.toHaveProperty("n")
  })

  test("fail without a charge if one of the calls fails", async () => {
    const before = await caller.balance()
    const response = await caller.post(CHAT, {
      model: "sim/flooded-claude",
      messages: HELLO,
      n: 3,
    })
    expect(response.status).toBe(503)
    await until(async () => (await creditsOf(caller)).held === "0")
    expect(await caller.balance()).toBe(before)
  })
})

interface Chunk {
  readonly id: string
  readonly choices: readonly { readonly index: number; readonly finish_reason: string | null }[]
  readonly usage?: { readonly completion_tokens: number }
}
