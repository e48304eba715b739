import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { completion, message, respond, response } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { creditsOf, errorOf, HELLO, nanocredits, receiptOf } from "../support.ts"

type Json = Record<string, unknown>

let gateway: TestGateway
let vendor: ScriptedVendor
let answer: Json
let path: string

const MESSAGES = "/v1/messages"
const CHAT = "/v1/chat/completions"
const EXPENSIVE = { input: "10", output: "20" }

beforeAll(async () => {
  vendor = startVendor((_, number) => respond(path, vendor.bodies[number - 1], answer))
  const limits = { context: 1_000_000, maxOutput: 50 }
  gateway = await startGateway({
    providers: {
      claude: {
        ...provider(vendor.url, "anthropic"),
        baseUrl: vendor.url.replace(/\/v1$/, ""),
        prices: { modes: { fast: "6" } },
      },
      router: provider(vendor.url, "openrouter"),
      litellm: provider(vendor.url, "openai-compatible"),
      vercel: provider(vendor.url, "vercel"),
      gpt: { ...provider(vendor.url, "openai"), dialects: ["openai-responses"] },
    },
    models: {
      "claude/small": simulated(limits),
      // The text that a model writes for itself is limited by the model's maximum output.
      "claude/talkative": simulated({ ...limits, maxOutput: 1_000 }),
      "claude/large": simulated({ ...limits, price: EXPENSIVE }),
      "router/acme/small": simulated(limits),
      "router/acme/large": simulated({ ...limits, price: EXPENSIVE }),
      "router/acme/small-pro": simulated({ ...limits, price: EXPENSIVE }),
      "router/acme/sonnet-4.5": simulated(limits),
      "router/acme/sonnet-5.4": simulated({ ...limits, price: EXPENSIVE }),
      "router/acme/open-4": simulated({ ...limits, price: EXPENSIVE }),
      "router/acme/open-4:free": simulated(limits),
      "litellm/small": simulated(limits),
      "litellm/large": simulated({ ...limits, price: EXPENSIVE }),
      "vercel/acme/small": simulated(limits),
      "vercel/acme/small-fast": simulated({ ...limits, price: EXPENSIVE }),
      "claude/small-5": simulated({ ...limits, price: EXPENSIVE }),
      "gpt/up": simulated(limits),
      "gpt/gpt-image-2": simulated({ kind: "image", price: { input: "5", output: "30" } }),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const iteration = (type: string, input: number, output: number, model?: string): Json => ({
  type,
  input_tokens: input,
  output_tokens: output,
  ...(model === undefined ? {} : { model }),
})

interface SecondCase {
  readonly name: string
  readonly path: string
  readonly model: string
  readonly body: Json
  readonly response: Json
  readonly usage: Readonly<Record<string, number>>
  readonly cost: bigint
  /** The path of the field that names the other model, and the name. */
  readonly place: string
  readonly other: string
}

const fallbacks = { fallbacks: [{ model: "large" }] }
const advisor = {
  tools: [{ type: "advisor_20260301", name: "advisor", model: "large", max_uses: 2 }],
}

const CASES: readonly SecondCase[] = [
  {
    name: "fallbacks, with a charge for each called model",
    path: MESSAGES,
    model: "claude/small",
    body: fallbacks,
    response: message(
      [],
      {
        iterations: [
          iteration("message", 100, 0, "small"),
          iteration("fallback_message", 100, 10, "large"),
        ],
      },
      { model: "large" },
    ),
    usage: { input: 200, output: 10 },
    cost: 100_000n + 1_000_000n + 200_000n,
    place: "fallbacks[0].model",
    other: "claude/large",
  },
  {
    name: "fallbacks that only a block reports",
    path: MESSAGES,
    model: "claude/small",
    body: fallbacks,
    response: message([{ type: "fallback", from: { model: "small" }, to: { model: "large" } }]),
    usage: { input: 100, output: 10 },
    cost: 1_000_000n + 200_000n,
    place: "fallbacks[0].model",
    other: "claude/large",
  },
  {
    name: "a fallback in fast mode",
    path: MESSAGES,
    model: "claude/small",
    body: { fallbacks: [{ model: "large", speed: "fast" }] },
    response: message(
      [],
      { speed: "fast", iterations: [iteration("fallback_message", 100, 10, "large")] },
      { model: "large" },
    ),
    usage: { input: 100, output: 10 },
    cost: 6n * 1_200_000n,
    place: "fallbacks[0].model",
    other: "claude/large",
  },
  {
    name: "fallbacks that were not needed",
    path: MESSAGES,
    model: "claude/small",
    body: fallbacks,
    response: message([], {}, { model: "small-20260101" }),
    usage: { input: 100, output: 10 },
    cost: 120_000n,
    place: "fallbacks[0].model",
    other: "claude/large",
  },
  {
    name: "an advisor",
    path: MESSAGES,
    model: "claude/small",
    body: advisor,
    response: message([], {
      iterations: [
        iteration("message", 60, 4),
        iteration("advisor_message", 200, 30, "large"),
        iteration("message", 40, 6),
      ],
    }),
    usage: { input: 300, output: 40 },
    cost: 120_000n + 2_000_000n + 600_000n,
    place: "tools[0].model",
    other: "claude/large",
  },
  {
    name: "the fallback that answered",
    path: CHAT,
    model: "router/acme/small",
    body: { fallbacks: [{ model: "acme/small" }, { model: "acme/large" }] },
    response: completion({ model: "acme/large" }),
    usage: { input: 100, output: 10 },
    cost: 1_200_000n,
    place: "fallbacks[1].model",
    other: "router/acme/large",
  },
  {
    name: "fallbacks, with an answer of an unknown model at the highest price",
    path: CHAT,
    model: "router/acme/small",
    body: { fallbacks: [{ model: "acme/large" }], route: "fallback" },
    response: completion({ model: "somebody/else" }),
    usage: { input: 100, output: 10 },
    cost: 1_200_000n,
    place: "fallbacks[0].model",
    other: "router/acme/large",
  },
  {
    name: "a model that generates images for a response",
    path: "/v1/responses",
    model: "gpt/up",
    body: { tools: [{ type: "image_generation", quality: "high" }] },
    response: response([{ type: "image_generation_call", id: "ig_1", result: "AAAA" }], {
      tool_usage: {
        image_gen: {
          input_tokens: 30,
          output_tokens: 1_000,
          input_tokens_details: { image_tokens: 10, text_tokens: 20 },
        },
      },
    }),
    usage: { input: 120, image_input: 10, output: 10, image_output: 1_000 },
    cost: 120_000n + 150_000n + 30_000_000n,
    place: "tools[0].type",
    other: "gpt/gpt-image-2",
  },
]

describe("a second model that may answer", () => {
  for (const one of CASES) {
    const said = one.path === "/v1/responses" ? { input: "Hi" } : { messages: HELLO }
    const limit = one.path === "/v1/responses" ? {} : { max_tokens: 50 }
    const body = { model: one.model, ...said, ...limit, ...one.body }

    for (const stream of [false, true]) {
      test(`has its own price in the hold and the charge: ${one.name}, ${stream ? "streamed" : "whole"}`, async () => {
        ;({ path, response: answer } = one)
        const caller = await gateway.caller("10")
        const told = await caller.post(one.path, { ...body, stream })
        const text = await told.text()
        expect(told.status, text).toBe(200)
        const receipt = await receiptOf(caller, told)
        expect(receipt.usage).toEqual(one.usage)
        expect(nanocredits(receipt.cost)).toBe(one.cost)
        expect(nanocredits(receipt.hold)).toBeGreaterThanOrEqual(one.cost)
        expect(await caller.balance()).toBe(10_000_000_000n - one.cost)
      })
    }

    test(`can be requested only by a key with access to it: ${one.name}`, async () => {
      const sent = vendor.bodies.length
      const caller = await gateway.caller("10", { models: [one.model] })
      const told = await caller.post(one.path, body)
      expect(told.status).toBe(403)
      const { message: reason } = await errorOf(told)
      expect(reason).toContain(one.place)
      expect(reason).toContain(one.other)
      expect(vendor.bodies.length).toBe(sent)
      expect(await creditsOf(caller)).toMatchObject({ balance: "10", held: "0" })
    })
  }

  test("causes an error if it has no price at the provider", async () => {
    const caller = await gateway.caller("10")
    const bodies: [string, string, Json][] = [
      [
        CHAT,
        "fallbacks[0].model",
        { model: "router/acme/small", fallbacks: [{ model: "openai/gpt-6-pro" }] },
      ],
      [MESSAGES, "fallbacks[0].model", { model: "claude/small", fallbacks: [{ model: "fable" }] }],
    ]
    for (const [to, place, body] of bodies) {
      const told = await caller.post(to, { messages: HELLO, max_tokens: 50, ...body })
      expect(told.status).toBe(400)
      expect((await errorOf(told)).message).toContain(`\`${place}\``)
    }
  })
})

describe("a response of a fallback whose name begins with the name of the requested model", () => {
  const own = 120_000n
  const dear = 1_200_000n

  test.each([
    ["small-pro", dear],
    ["small-pro-2026-01-01", dear],
    ["small-pro@20260101", dear],
    ["small-pro:free", dear],
    ["small-2026-01-01", own],
    ["small@20260101", own],
    ["small-latest", own],
    ["small", own],
  ])("costs the price of the model that it names: %s", async (name, cost) => {
    path = CHAT
    answer = completion({ model: `acme/${name}` })
    const caller = await gateway.caller("10")
    const body = { model: "router/acme/small", fallbacks: [{ model: "acme/small-pro" }] }
    const response = await caller.post(CHAT, { messages: HELLO, max_tokens: 50, ...body })
    expect(nanocredits((await receiptOf(caller, response)).cost)).toBe(cost)
  })

  test.each([
    ["small", "small-5", "small-5-20260101", dear],
    ["small", "small-5", "small-20260101", own],
    ["small-5", "small", "small", own],
    ["small-5", "small", "small-5-20260101", dear],
  ])(
    "costs the price of the model of its iteration: %s with %s, %s",
    async (model, fallback, name, cost) => {
      path = MESSAGES
      answer = message([], { iterations: [iteration("message", 100, 10, name)] })
      const caller = await gateway.caller("10")
      const body = { model: `claude/${model}`, fallbacks: [{ model: fallback }] }
      const response = await caller.post(MESSAGES, { messages: HELLO, max_tokens: 50, ...body })
      expect(nanocredits((await receiptOf(caller, response)).cost)).toBe(cost)
    },
  )
})

test.each([
  ["acme/4.5-sonnet-20250929", 120_000n],
  ["acme/5.4-sonnet-20250929", 1_200_000n],
  ["acme/4.5-sonnet-20250929:free", 120_000n],
  ["other/4.5-sonnet-20250929", 1_200_000n],
])("the charge does not depend on the order of words in a model name: %s", async (name, cost) => {
  path = CHAT
  answer = completion({ model: name })
  for (const stream of [false, true]) {
    const caller = await gateway.caller("10")
    const fallbacks = [{ model: "acme/sonnet-5.4" }]
    const body = { model: "router/acme/sonnet-4.5", fallbacks, stream }
    const response = await caller.post(CHAT, { messages: HELLO, max_tokens: 50, ...body })
    await response.text()
    expect(nanocredits((await receiptOf(caller, response)).cost)).toBe(cost)
  }
})

test.each([
  ["open-4:free", "open-4", "acme/open-4-20260423", 1_200_000n],
  ["open-4:free", "open-4", "acme/open-4", 1_200_000n],
  ["open-4:free", "open-4", "acme/open-4-20260423:free", 120_000n],
  ["open-4:free", "open-4", "acme/open-4:free", 120_000n],
  ["open-4", "open-4:free", "acme/open-4-20260423:free", 120_000n],
  ["open-4", "open-4:free", "acme/4-open-20260423:free", 120_000n],
  ["open-4", "open-4:free", "acme/open-4-20260423", 1_200_000n],
  ["open-4", "open-4:free", "acme/open-4-20260423:nitro", 1_200_000n],
])(
  "the model variant that the response names is charged: %s with %s, named %s",
  async (model, fallback, name, cost) => {
    path = CHAT
    answer = completion({ model: name })
    for (const stream of [false, true]) {
      const caller = await gateway.caller("10")
      const fallbacks = [{ model: `acme/${fallback}` }]
      const body = { model: `router/acme/${model}`, fallbacks, stream, messages: HELLO }
      const response = await caller.post(CHAT, { ...body, max_tokens: 50 })
      await response.text()
      expect(nanocredits((await receiptOf(caller, response)).cost)).toBe(cost)
    }
  },
)

test.each([
  ["small-fast", "small", "acme/small", 1_200_000n],
  ["small", "small-fast", "acme/small", 1_200_000n],
  ["small", "small-fast", "acme/small-2026-01-01", 1_200_000n],
  ["small-fast", "small", "acme/small-fast", 1_200_000n],
])(
  "a fast variant is charged even if the response does not name it: %s, %s",
  async (model, fallback, name, cost) => {
    path = CHAT
    answer = completion({ model: name })
    for (const stream of [false, true]) {
      const caller = await gateway.caller("10")
      const providerOptions = { gateway: { models: [`acme/${fallback}`] } }
      const body = { model: `vercel/acme/${model}`, providerOptions, stream }
      const response = await caller.post(CHAT, { messages: HELLO, max_tokens: 50, ...body })
      const text = await response.text()
      expect(response.status, text).toBe(200)
      expect(nanocredits((await receiptOf(caller, response)).cost)).toBe(cost)
    }
  },
)

test.each([
  ["fallbacks[0].max_tokens", { fallbacks: [{ model: "large", max_tokens: 65_000 }] }],
  ["fallbacks[0].n", { fallbacks: [{ model: "large", n: 50 }] }],
  ["fallbacks[0].messages", { fallbacks: [{ model: "large", messages: HELLO }] }],
  ["fallbacks[0].api_base", { fallbacks: [{ model: "large", api_base: "https://other" }] }],
])(
  "the gateway rejects a router's field whose cost the hold cannot cover: %s",
  async (place, fields) => {
    const requests: [string, string, object][] = [
      [CHAT, "litellm/small", { messages: HELLO, max_tokens: 50 }],
      [CHAT, "router/acme/small", { messages: HELLO, max_tokens: 50 }],
    ]
    for (const [to, model, body] of requests) {
      const sent = vendor.bodies.length
      const caller = await gateway.caller("10")
      const large = model.startsWith("router/") ? '"acme/large"' : '"large"'
      const own = JSON.parse(JSON.stringify(fields).replace('"large"', large)) as object
      const response = await caller.post(to, { model, ...body, ...own })
      expect(await errorOf(response)).toMatchObject({
        status: 400,
        code: "feature_not_priced",
        param: place,
      })
      expect(vendor.bodies.length).toBe(sent)
    }
  },
)

test.each([
  ["acme/large", 1_200_000n],
  ["acme/small", 120_000n],
])("an unreadable response is charged at the price of its model: %s", async (name, cost) => {
  path = CHAT
  let deep: Json = {}
  for (let level = 0; level < 600; level++) deep = { deep }
  answer = { ...completion({ model: name }), deep }
  const caller = await gateway.caller("10")
  const body = { model: "router/acme/small", fallbacks: [{ model: "acme/large" }] }
  const response = await caller.post(CHAT, { messages: HELLO, max_tokens: 50, ...body })
  expect((await errorOf(response)).message).toContain("was charged")
  expect(nanocredits((await receiptOf(caller, response)).cost)).toBe(cost)
})

describe("an attempt that declined before any output", () => {
  const fallback = (category: string | null): Json => ({
    type: "fallback",
    from: { model: "small" },
    to: { model: "large" },
    trigger: { type: "refusal", category },
  })
  const iterations = [iteration("message", 100, 0), iteration("fallback_message", 100, 10, "large")]

  test.each([
    ["cyber", 1_200_000n],
    [null, 1_200_000n],
    ["bio", 1_300_000n],
  ])("costs its tokens only in some categories of refusals: %s", async (category, cost) => {
    path = MESSAGES
    answer = message([fallback(category)], { iterations }, { model: "large" })
    for (const stream of [false, true]) {
      const caller = await gateway.caller("10")
      const body = { model: "claude/small", fallbacks: [{ model: "large" }], stream }
      const response = await caller.post(MESSAGES, { messages: HELLO, max_tokens: 50, ...body })
      await response.text()
      expect(nanocredits((await receiptOf(caller, response)).cost)).toBe(cost)
    }
  })
})

describe("an advisor's responses", () => {
  const told = (model: string, max: number): Json => ({
    model: "claude/small",
    messages: HELLO,
    max_tokens: 16,
    tools: [{ type: "advisor_20260301", name: "advisor", model, max_uses: max }],
  })
  const consulted = (model: string, count: number, output: number): Json =>
    message([], {
      iterations: [
        iteration("message", 60, 4),
        ...Array.from({ length: count }, () => iteration("advisor_message", 800, output, model)),
      ],
    })
  const price: Record<string, bigint> = { large: 10_000n, small: 1_000n }

  for (const model of ["large", "small"]) {
    for (const stream of [false, true]) {
      test(`count toward the hold and the charge of ${model}, ${stream ? "streamed" : "whole"}`, async () => {
        path = MESSAGES
        answer = consulted(model, 10, 4_000)
        const caller = await gateway.caller("10")
        const asked = await caller.post(MESSAGES, { ...told(model, 10), stream })
        expect(asked.status, await asked.text()).toBe(200)
        const [tool] = (vendor.bodies.at(-1)?.["tools"] ?? []) as Json[]
        expect(tool).toMatchObject({ max_uses: 10, max_tokens: 4_096 })
        const receipt = await receiptOf(caller, asked)
        const rate = price[model] ?? 0n
        const cost = 68_000n + 10n * (800n * rate + 4_000n * 2n * rate)
        expect(nanocredits(receipt.cost)).toBe(cost)
        expect(nanocredits(receipt.hold)).toBeGreaterThanOrEqual(cost)
      })
    }
  }

  test("count toward the hold and the charge up to the caller's max_tokens", async () => {
    path = MESSAGES
    answer = consulted("large", 1, 20_000)
    const caller = await gateway.caller("10")
    const [tool] = told("large", 1)["tools"] as Json[]
    const body = { ...told("large", 1), tools: [{ ...tool, max_tokens: 20_000 }] }
    const asked = await caller.post(MESSAGES, body)
    expect(asked.status, await asked.text()).toBe(200)
    const receipt = await receiptOf(caller, asked)
    expect(nanocredits(receipt.cost)).toBe(68_000n + 8_000_000n + 400_000_000n)
    expect(nanocredits(receipt.hold)).toBeGreaterThanOrEqual(nanocredits(receipt.cost))
  })
})

describe("compaction of a long conversation", () => {
  for (const stream of [false, true]) {
    test(`costs its own tokens in addition to the response, ${stream ? "streamed" : "whole"}`, async () => {
      path = MESSAGES
      answer = message([], {
        iterations: [iteration("compaction", 60_000, 500), iteration("message", 100, 10)],
      })
      const caller = await gateway.caller("10")
      const told = await caller.post(MESSAGES, {
        model: "claude/talkative",
        messages: HELLO,
        max_tokens: 50,
        stream,
        context_management: { edits: [{ type: "compact_20260112" }] },
      })
      await told.text()
      const receipt = await receiptOf(caller, told)
      expect(receipt.usage).toEqual({ input: 60_100, output: 510 })
      expect(nanocredits(receipt.cost)).toBe(61_120_000n)
    })
  }
})
