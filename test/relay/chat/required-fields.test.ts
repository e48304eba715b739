import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { provider, startGateway, type TestGateway } from "../../support/gateway.ts"
import {
  type Handler,
  DONE,
  type ScriptedVendor,
  startVendor,
  streamed,
  wholeResponse,
} from "../scripted-vendor.ts"
import { CHAT, creditsOf, dataOf, errorOf, HELLO, receiptOf, streamErrorOf } from "../support.ts"

/** A vendor with the caller's own dialect that omits required fields. */
let vendor: ScriptedVendor
let good: ScriptedVendor
let gateway: TestGateway
let answer: Handler

beforeAll(async () => {
  vendor = startVendor((request, number) => answer(request, number))
  good = startVendor(() => Response.json(wholeResponse()))
  const price = { input: "1", output: "2" }
  const at = (name: string): { provider: string; model: string; weight: number } => ({
    provider: name,
    model: "up",
    weight: 1,
  })
  gateway = await startGateway({
    providers: { poor: provider(vendor.url), good: provider(good.url) },
    models: {
      "poor/model": { kind: "chat", price, deployments: [at("poor")] },
      "both/model": {
        kind: "chat",
        price,
        deployments: [at("poor"), { ...at("good"), weight: 0 }],
      },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
  good[Symbol.dispose]()
})

beforeEach(() => {
  answer = () => Response.json(wholeResponse())
})

interface Chat {
  readonly id: string
  readonly object: string
  readonly created: number
  readonly choices: readonly {
    readonly index: number
    readonly message: Record<string, unknown>
    readonly delta: Record<string, unknown>
    readonly finish_reason: string | null
  }[]
  readonly usage?: Record<string, unknown>
}

const BODY = { model: "poor/model", messages: HELLO }

async function ask(said: object): Promise<Chat> {
  answer = () => Response.json(said)
  const caller = await gateway.caller("1")
  const response = await caller.post(CHAT, BODY)
  expect(response.status).toBe(200)
  return (await response.json()) as Chat
}

async function askStream(said: string, fields: object = {}): Promise<Chat[]> {
  answer = () => streamed([said])
  const caller = await gateway.caller("1")
  const response = await caller.post(CHAT, { ...BODY, stream: true, ...fields })
  const data = dataOf(await response.text())
  expect(data.pop()).toBe("[DONE]")
  return data.map((text) => JSON.parse(text) as Chat)
}

function frameOf(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`
}

const BARE = { choices: [{ message: { content: "Hi" } }] }

test("an invalid choice or finish reason in a stream is replaced by a valid value", async () => {
  for (const odd of [null, true, "x", [1]]) {
    const ending = { index: 0, delta: {}, finish_reason: odd === null ? "stop" : odd }
    const said =
      frameOf({ choices: [odd] }) +
      frameOf({ choices: [{ index: 0, delta: { content: "Hi" } }] }) +
      frameOf({ choices: [ending] }) +
      frameOf({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })
    const choices = (await askStream(said + DONE)).flatMap((chunk) => chunk.choices)
    for (const choice of choices) {
      expect([choice.index, typeof choice.delta]).toEqual([0, "object"])
      expect([undefined, null, "stop"]).toContain(choice.finish_reason)
    }
    expect(choices[0]?.delta["role"]).toBe("assistant")
  }
})

describe("an incomplete chat completion", () => {
  test("contains every member that the specification requires", async () => {
    const before = Math.floor(Date.now() / 1000)
    const chat = await ask({ ...BARE, usage: { prompt_tokens: 3, completion_tokens: 2 } })
    expect(chat).toMatchObject({
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    })
    expect(chat.id).toMatch(/^chatcmpl-\w{20,}$/)
    expect(chat.created).toBeGreaterThanOrEqual(before)
    const other = await ask(BARE)
    expect(other.id).not.toBe(chat.id)
  })

  test("contains specified values in place of unknown values", async () => {
    const choice = { index: 0, message: { role: "model", content: null }, finish_reason: "eos" }
    const chat = await ask({ id: "x", object: "x", created: 1.5, choices: [choice] })
    expect(chat).toMatchObject({ id: "chatcmpl-x", object: "chat.completion" })
    expect(JSON.parse(JSON.stringify(chat.choices))).toEqual([
      { index: 0, message: { role: "assistant", content: "" }, finish_reason: "stop" },
    ])
    expect(Number.isInteger(chat.created)).toBe(true)
  })

  const FINISHES: readonly [word: string, told: string][] = [
    ["STOP", "stop"],
    ["eos_token", "stop"],
    ["model_length", "length"],
    ["MAX_TOKENS", "length"],
    ["strange", "stop"],
    ["", "stop"],
    ["tool_calls", "tool_calls"],
    ["function_call", "function_call"],
  ]
  for (const [word, told] of FINISHES) {
    test(`has the finish reason ${told} in place of "${word}"`, async () => {
      const choice = { ...BARE.choices[0], finish_reason: word }
      expect((await ask({ choices: [choice] })).choices[0]?.finish_reason).toBe(told)
      const frame = frameOf({
        choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: word }],
      })
      const chunks = await askStream(frame + DONE)
      const said = chunks.flatMap(({ choices }) => choices.map((each) => each.finish_reason))
      expect(said.filter(Boolean)).toEqual([told])
    })
  }

  test("has null in place of a missing text if it calls a tool", async () => {
    const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } }
    const chat = await ask({ choices: [{ message: { tool_calls: [call] } }] })
    expect(chat.choices[0]).toMatchObject({
      message: { role: "assistant", content: null },
      finish_reason: "tool_calls",
    })
  })
})

test("an incomplete stream reaches the caller as one response with a role and a finish reason", async () => {
  const chunks = await askStream(
    frameOf({ choices: [{ delta: { content: "H" } }] }) +
      frameOf({ choices: [{ delta: { content: "i" } }] }) +
      DONE,
  )
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
  expect(new Set(chunks.map(({ created }) => created)).size).toBe(1)
  expect(chunks[0]?.id).toMatch(/^chatcmpl-\w{20,}$/)
  for (const { object, choices } of chunks) {
    expect(object).toBe("chat.completion.chunk")
    expect(choices[0]?.index).toBe(0)
  }
  expect(chunks[0]?.choices[0]?.delta).toEqual({ content: "H", role: "assistant" })
  expect(chunks[1]?.choices[0]?.delta).toEqual({ content: "i" })
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop")
})

describe("a response without choices", () => {
  const told = { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 }
  const EMPTY: readonly [name: string, fields: object, said: () => Response][] = [
    ["whole", {}, () => Response.json({ ...BARE, choices: [], usage: told })],
    [
      "streamed",
      { stream: true },
      () => streamed([frameOf({ id: "x", choices: [], usage: told }) + DONE]),
    ],
  ]
  for (const [name, fields, said] of EMPTY) {
    test(`counts as a failed attempt: ${name}`, async () => {
      answer = said
      const caller = await gateway.caller("1")
      const response = await caller.post(CHAT, { ...BODY, ...fields })
      expect(response.headers.get("x-should-retry")).toBe("true")
      expect(await errorOf(response)).toMatchObject({ status: 502, code: "upstream_error" })
      expect(await creditsOf(caller)).toMatchObject({ balance: "1", held: "0" })
    })
  }

  test("causes an attempt at the next deployment", async () => {
    answer = () => Response.json({ ...BARE, choices: [] })
    const caller = await gateway.caller("1")
    const response = await caller.post(CHAT, { ...BODY, model: "both/model" })
    expect(response.headers.get("x-tollgate-provider")).toBe("good")
  })

  test("ends with an error if the caller has already received a part", async () => {
    answer = () => streamed([frameOf({ choices: [{ delta: { content: "Hi" } }] })])
    const caller = await gateway.caller("1")
    const response = await caller.post(CHAT, { ...BODY, stream: true })
    expect(streamErrorOf(await response.text())).toMatchObject({ code: "upstream_error" })
  })
})

describe("the gateway's count of usage that the vendor does not report", () => {
  const frames =
    frameOf({ id: "a", choices: [{ delta: { role: "assistant", content: "Hi" } }] }) +
    frameOf({ id: "a", choices: [{ delta: {}, finish_reason: "stop" }] })

  test("appears in a whole response", async () => {
    answer = () => Response.json(BARE)
    const caller = await gateway.caller("1")
    const response = await caller.post(CHAT, BODY)
    const receipt = await receiptOf(caller, response)
    const { usage } = (await response.json()) as Chat
    expect(receipt.estimated).toBe(true)
    const { input = 0, output = 0 } = receipt.usage ?? {}
    expect(output).toBeGreaterThan(0)
    expect(usage).toMatchObject({
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
    })
  })

  test("appears in a stream, with the cost, if the caller requests usage", async () => {
    const chunks = await askStream(frames + DONE, { stream_options: { include_usage: true } })
    const last = chunks.at(-1)
    expect(last).toMatchObject({ id: "chatcmpl-a", choices: [], object: "chat.completion.chunk" })
    expect(last?.usage?.["total_tokens"]).toBeGreaterThan(0)
    expect(last?.usage?.["cost"]).toBeGreaterThan(0)
    expect(chunks.filter(({ usage }) => usage)).toHaveLength(1)
  })

  test("does not appear in a stream if the caller does not request usage", async () => {
    const chunks = await askStream(frames + DONE)
    expect(chunks.filter(({ usage }) => usage)).toHaveLength(0)
  })

  for (const [path, fields] of [
    ["/v1/messages", { max_tokens: 50, messages: HELLO }],
    ["/v1/responses", { input: "Hello there, gateway" }],
  ] as const) {
    test(`appears in the response of ${path}, whole and streamed`, async () => {
      const caller = await gateway.caller("1")
      answer = () => Response.json(BARE)
      const whole = await caller.post(path, { model: "poor/model", ...fields })
      const { usage } = (await whole.json()) as { usage: Record<string, number> }
      expect(usage["input_tokens"]).toBeGreaterThan(0)
      expect(usage["output_tokens"]).toBeGreaterThan(0)
      answer = () => streamed([frames + DONE])
      const stream = await caller.post(path, { model: "poor/model", ...fields, stream: true })
      const text = await stream.text()
      const told = dataOf(text)
        .map((data) => JSON.parse(data) as { usage?: object; response?: { usage?: object } })
        .map((data) => data.response?.usage ?? data.usage)
        .findLast((each) => each !== undefined && each !== null)
      const { input_tokens, output_tokens } = usage
      expect(told).toMatchObject({ input_tokens, output_tokens })
    })
  }
})
