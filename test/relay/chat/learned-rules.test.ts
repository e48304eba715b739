import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test"
import type { ModelSettings, ProviderSettings } from "../../../src/config/settings.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import {
  firstOf,
  type Judge,
  openaiError,
  type Rejection,
  rejecting,
  type RejectingVendor,
  startRejectingVendor,
  unsupported,
} from "./rejecting-vendor.ts"
import { REJECTION_CASES, TOOLS } from "./rejection-cases.ts"
import { CHAT, contentOf, creditsOf, HELLO, nanocredits, receiptOf } from "../support.ts"

/** Rejects every request with the given error. */
const always =
  (rejection: Rejection): Judge =>
  () =>
    rejection

const UNCORRECTABLE: readonly (readonly [name: string, field: string, fields: object])[] = [
  ["choices", "n", { n: 2 }],
  ["usage", "stream_options", { stream: true }],
  ["storage", "store", { store: true }],
  ["format", "response_format", { response_format: { type: "json_object" } }],
]

const ONLY_RESPONSES = openaiError(
  "This model is only supported in v1/responses and not in v1/chat/completions.",
  null,
  null,
)

/** Rejects chat completions, and temperatures in responses. */
const ofResponses: Judge = (body, path) =>
  path.endsWith("/chat/completions") ? ONLY_RESPONSES : unsupported("temperature")(body, path)

const ORDERS = ["temperature, seed, top_p", "top_p, temperature, seed", "seed, top_p, temperature"]

/** Lists the rejected parameters in a different order for each call. */
function reordered(): Judge {
  let calls = 0
  return ({ seed }) => {
    if (seed === undefined) return undefined
    const names = ORDERS[calls++ % ORDERS.length]
    return openaiError(`Unrecognized request arguments supplied: ${names}`, null, null)
  }
}

/** Accepts a shorter user name with each call. */
function shortening(): Judge {
  let max = 50
  return () =>
    openaiError(
      `Invalid 'user': string too long. Expected a string with maximum length ${max--}, but got one of 60.`,
      "user",
      "string_above_max_length",
    )
}

const JUDGES: Record<string, Judge> = {
  two: firstOf(unsupported("temperature"), unsupported("seed")),
  four: firstOf(...["temperature", "seed", "top_p", "verbosity"].map(unsupported)),
  pinned: unsupported("temperature"),
  strict: unsupported("temperature"),
  renamed: unsupported("max_tokens"),
  restarted: unsupported("temperature"),
  stubborn: always(
    openaiError(
      "Unsupported parameter: 'temperature' is not supported with this model.",
      "temperature",
      null,
    ),
  ),
  limitless: firstOf(unsupported("max_tokens"), unsupported("max_completion_tokens")),
  quoted: always(openaiError("I reject: Unsupported parameter: 'temperature'", null, null)),
  conditional: (body) =>
    body.reasoning_effort === "high" ? unsupported("temperature")(body, "") : undefined,
  required: rejecting("tools", openaiError("x does not support tools", null, null)),
  framed: (body) => {
    const rejection = unsupported("temperature")(body, "")
    return rejection && { ...rejection, status: 200 }
  },
  single: unsupported("temperature"),
  "alike-whole": unsupported("temperature"),
  "alike-streamed": unsupported("temperature"),
  "reordered-whole": reordered(),
  "reordered-streamed": reordered(),
  "shortening-whole": shortening(),
  "shortening-streamed": shortening(),
  moved: ofResponses,
  "moved-streamed": ofResponses,
  messages: unsupported("temperature"),
  "streamed-messages": unsupported("temperature"),
  responses: unsupported("temperature"),
  gemini: unsupported("temperature"),
  anthropic: rejecting("temperature", {
    status: 400,
    error: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "`temperature` is deprecated for this model.",
      },
    },
  }),
}
for (const [index, { judge }] of REJECTION_CASES.entries()) {
  JUDGES[`case${index}whole`] = judge
  JUDGES[`case${index}streamed`] = judge
}
for (const [name, field] of UNCORRECTABLE) JUDGES[name] = unsupported(field)

/** Rules of a deployment in the settings. */
const RULES: Readonly<Record<string, ModelSettings["rules"]>> = {
  pinned: { rejected_parameters: [] },
}

/** Vendors of the providers. The first returns only one choice, and the second returns several. */
const KINDS: Readonly<Record<string, string>> = {
  single: "groq",
  "alike-whole": "groq",
  "alike-streamed": "groq",
  "reordered-whole": "groq",
  "reordered-streamed": "groq",
  "shortening-whole": "groq",
  "shortening-streamed": "groq",
  moved: "openai",
  "moved-streamed": "openai",
  choices: "vllm",
  anthropic: "anthropic",
}

let vendor: RejectingVendor
let gateway: TestGateway
let caller: TestCaller

function settings() {
  const providers: Record<string, ProviderSettings> = {}
  const models: Record<string, ModelSettings> = {}
  for (const name of Object.keys(JUDGES)) {
    const [, index] = /^case(\d+)/.exec(name) ?? []
    const kind = index === undefined ? KINDS[name] : REJECTION_CASES[Number(index)]?.vendor
    const base = vendor.urlOf(name)
    providers[name] = provider(kind === "anthropic" ? base : `${base}/v1`, kind)
    const rules = RULES[name]
    models[`${name}/x`] = simulated(rules === undefined ? {} : { rules })
  }
  return { providers, models }
}

beforeAll(async () => {
  vendor = startRejectingVendor(JUDGES)
  gateway = await startGateway(settings())
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

interface Asked {
  readonly status: number
  readonly text: string
  readonly losses: string | null
  readonly response: Response
  readonly calls: ReturnType<RejectingVendor["taken"]>
}

async function ask(name: string, fields: object, headers = {}, by = caller): Promise<Asked> {
  vendor.taken()
  const body = { model: `${name}/x`, messages: HELLO, ...fields }
  const response = await by.post(CHAT, body, headers)
  const text = await response.text()
  const losses = response.headers.get("x-tollgate-losses")
  return { status: response.status, text, losses, response, calls: vendor.taken() }
}

function learnedOf(name: string): unknown[] {
  return gateway.heard
    .filter(({ name: event, facts }) => event === "ruleLearned" && facts[0] === `${name}/x`)
    .map(({ facts }) => facts.slice(1))
}

describe("corrections of a rejected parameter", () => {
  for (const [index, each] of REJECTION_CASES.entries()) {
    for (const use of ["whole", "streamed"] as const) {
      test(`happen only once, because the rule is remembered: ${each.name}, ${use}`, async () => {
        const name = `case${index}${use}`
        const fields = { ...each.fields, ...(use === "streamed" && { stream: true }) }
        const first = await ask(name, fields)
        expect([first.status, first.text]).toEqual([200, expect.stringContaining("Hello")])
        expect(first.losses).toBe(each.losses)
        expect(first.calls).toHaveLength(2)
        expect({ ...first.calls[1]?.body }).toEqual(
          expect.objectContaining(withoutAbsent(each.sent)),
        )
        for (const absent of absentIn(each.sent)) {
          expect(first.calls[1]?.body).not.toHaveProperty(absent)
        }
        if (use === "streamed") expect(contentOf(first.text)).toBe("Hello")
        const { attempts, cost } = await receiptOf(caller, first.response)
        expect(attempts.map(({ outcome }) => outcome)).toEqual([
          expect.stringMatching(/upstream/),
          "ok",
        ])
        expect(nanocredits(cost)).toBe(12_000n)
        expect(learnedOf(name)).toEqual([each.learned])

        const second = await ask(name, fields)
        expect([second.status, second.losses]).toEqual([200, each.losses])
        expect(second.calls).toHaveLength(1)
        expect(learnedOf(name)).toHaveLength(1)
        expect((await creditsOf(caller)).held).toBe("0")
      })
    }
  }
})

function absentIn(sent: object): string[] {
  return Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [name] : []))
}

function withoutAbsent(sent: object): object {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined))
}

test("a parameter that is rejected in a stream is corrected before the caller receives anything", async () => {
  const { status, text, calls } = await ask("framed", { temperature: 0.5, stream: true })
  expect([status, contentOf(text), calls.length]).toEqual([200, "Hello", 2])
  expect(text).not.toContain("error")
})

test("a request for several choices has all of its calls corrected", async () => {
  const { status, calls, text, response } = await ask("single", { temperature: 0.5, n: 2 })
  expect([status, JSON.parse(text).choices.length]).toEqual([200, 2])
  const sent = calls.map(({ body }) => body.temperature)
  expect(sent.slice(-2)).toEqual([undefined, undefined])
  expect(nanocredits((await receiptOf(caller, response)).cost)).toBe(24_000n)
  expect((await creditsOf(caller)).held).toBe("0")
})

describe.each(["whole", "streamed"])("corrections of several calls, %s,", (use) => {
  /**
   * Returns how often a request for eight choices is encoded, including the caller's body and the bodies of its calls.
   */
  async function writesOf(name: string, fields: object): Promise<number> {
    const question = `What has the same body? ${name}`
    using writes = spyOn(JSON, "stringify")
    const messages = [{ role: "user", content: question }]
    const { calls } = await ask(name, { messages, n: 8, stream: use === "streamed", ...fields })
    expect(calls.length).toBeGreaterThan(8)
    return writes.mock.results.filter(({ value }) => String(value).includes(question)).length
  }

  test("share one plan and one encoded body if the corrections are equal", async () => {
    // The body is encoded once by the caller, once for the first calls, and once for the corrected calls.
    expect(await writesOf(`alike-${use}`, { temperature: 0.5 })).toBe(3)
  })

  test("have the same result regardless of the order in which parameters are rejected", async () => {
    const fields = { temperature: 0.5, seed: 1, top_p: 0.5 }
    expect(await writesOf(`reordered-${use}`, fields)).toBe(3)
  })

  test("stop after three requests if the calls are rejected for different reasons", async () => {
    expect(await writesOf(`shortening-${use}`, { user: "u".repeat(60) })).toBeLessThanOrEqual(5)
  })
})

test.each([false, true])(
  "each call can be corrected after a request was moved to Responses, streamed: %p",
  async (stream) => {
    const fields = { temperature: 0.5, n: 2, stream }
    const { status, calls, text, response } = await ask(stream ? "moved-streamed" : "moved", fields)
    expect([status, text.split("Hello").length]).toEqual([200, 3])
    const sent = calls.map(
      ({ path, body }) => `${path.split("/").at(-1)} ${String(body.temperature)}`,
    )
    expect(sent).toEqual([
      "completions 0.5",
      "responses 0.5",
      "responses 0.5",
      "responses undefined",
      "responses undefined",
    ])
    expect(nanocredits((await receiptOf(caller, response)).cost)).toBe(24_000n)
  },
)

describe("limits of corrections", () => {
  test("allow two consecutive corrections for two different parameters", async () => {
    const { status, calls, losses } = await ask("two", { temperature: 0.5, seed: 1 })
    expect([status, calls.length]).toEqual([200, 3])
    expect(losses).toBe("temperature:dropped, seed:dropped")
    expect(learnedOf("two")).toEqual([["rejected_parameters", "temperature,seed"]])
  })

  test("allow at most three corrections, and a failed request changes no rules", async () => {
    const fields = { temperature: 0.5, seed: 1, top_p: 0.5, verbosity: "low" }
    const { status, calls, text } = await ask("four", fields)
    expect([status, calls.length]).toEqual([400, 4])
    expect(text).toContain("'verbosity' is not supported")
    expect(learnedOf("four")).toEqual([])
    expect((await creditsOf(caller)).held).toBe("0")
  })

  test("exclude a correction that does not change the request", async () => {
    const without = await ask("stubborn", {})
    expect([without.status, without.calls.length]).toEqual([400, 1])
    const once = await ask("stubborn", { temperature: 0.5 })
    expect([once.status, once.calls.length]).toEqual([400, 2])
    expect(learnedOf("stubborn")).toEqual([])
  })

  test("exclude an error message that only contains the words of a rejection within other text", async () => {
    const { status, calls } = await ask("quoted", { temperature: 0.5 })
    expect([status, calls.length]).toEqual([400, 1])
  })
})

describe("fields that protect the charge", () => {
  test.each(UNCORRECTABLE)(
    "stay in the request even if they are rejected: %s",
    async (name, field, fields) => {
      const { status, calls, text } = await ask(name, fields)
      expect([status, text]).toEqual([400, expect.stringContaining("Unsupported parameter")])
      for (const { body } of calls) expect(body).toHaveProperty(field)
      expect(calls).toHaveLength(1)
      expect(learnedOf(name)).toEqual([])
    },
  )

  test("include the output limit, which can be sent under its other name instead", async () => {
    const { status, calls } = await ask("limitless", { max_tokens: 7 })
    expect(status).toBe(400)
    expect(calls.map(({ body }) => body.max_tokens ?? body.max_completion_tokens)).toEqual([7, 7])
    expect(learnedOf("limitless")).toEqual([])
  })
})

describe("a strict caller of a model with a rejected parameter", () => {
  const strict = { "x-tollgate-strict": "true" }

  test("gets the provider's error if the correction loses something", async () => {
    for (const stream of [false, true]) {
      const fields = { temperature: 0.5, stream }
      const { status, calls, text } = await ask("strict", fields, strict)
      expect([status, calls.length]).toEqual([400, 1])
      expect(text).toContain("Unsupported parameter: 'temperature'")
    }
    expect(learnedOf("strict")).toEqual([])
  })

  test("gets a response if the correction loses nothing", async () => {
    const { status, calls, losses } = await ask("renamed", { max_tokens: 7 }, strict)
    expect([status, calls.length, losses]).toEqual([200, 2, null])
    const usual = await ask("strict", { temperature: 1 }, strict)
    expect([usual.status, usual.calls.length, usual.losses]).toEqual([200, 2, null])
    const later = await ask("strict", { temperature: 0.5 }, strict)
    expect([later.status, later.calls.length]).toEqual([400, 0])
    expect(later.text).toContain("not_carried")
  })
})

test("a learned rule does not replace a rule in the settings", async () => {
  const { status, calls } = await ask("pinned", { temperature: 0.5 })
  expect([status, calls.length]).toEqual([400, 1])
  expect(learnedOf("pinned")).toEqual([])
})

test("a correction never drops a required tool call", async () => {
  const required = { tools: TOOLS, tool_choice: "required" }
  const first = await ask("required", required)
  expect([first.status, first.calls.length]).toEqual([400, 1])
  expect(first.text).toContain("x does not support tools")
  await ask("required", { tools: TOOLS })
  const later = await ask("required", required)
  expect([later.status, later.calls.length]).toEqual([400, 0])
  expect(later.text).toContain("does not support tools")
})

test("a parameter that was rejected together with reasoning is still sent without reasoning", async () => {
  const reasoning = { temperature: 0.5, reasoning_effort: "high" }
  expect((await ask("conditional", reasoning)).calls).toHaveLength(2)
  const { calls, losses } = await ask("conditional", { temperature: 0.5, reasoning_effort: "none" })
  expect(calls.map(({ body }) => body.temperature)).toEqual([0.5])
  expect(losses).toBeNull()
})

describe("a caller of another format whose request is corrected", () => {
  const messages = { messages: HELLO, max_tokens: 100, temperature: 0.5 }
  test.each([
    ["/v1/messages", "messages", messages],
    ["/v1/messages", "streamed-messages", { ...messages, stream: true }],
    ["/v1/responses", "responses", { input: "Hello", temperature: 0.5 }],
    [
      "/v1beta/models/gemini/x:generateContent",
      "gemini",
      {
        contents: [{ role: "user", parts: [{ text: "Hello" }] }],
        generationConfig: { temperature: 0.5 },
      },
    ],
  ])("gets the response in the format %s (%s)", async (path, name, fields) => {
    for (const count of [2, 1]) {
      vendor.taken()
      const response = await caller.post(path, { model: `${name}/x`, ...fields })
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining("Hello"),
      ])
      expect(response.headers.get("x-tollgate-losses")).toContain("temperature:dropped")
      expect(vendor.taken()).toHaveLength(count)
    }
  })

  test("gets the response to the corrected request", async () => {
    const fields = { model: "anthropic/x", ...messages }
    for (const count of [2, 1]) {
      vendor.taken()
      const response = await caller.post("/v1/messages", fields)
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining("Hello"),
      ])
      const taken = vendor.taken()
      expect(taken.at(-1)?.body).toMatchObject({ max_tokens: 100 })
      expect(taken.at(-1)?.body).not.toHaveProperty("temperature")
      expect(taken).toHaveLength(count)
    }
  })
})

test("learned rules are lost at a restart", async () => {
  expect((await ask("restarted", { temperature: 0.5 })).calls).toHaveLength(2)
  expect((await ask("restarted", { temperature: 0.5 })).calls).toHaveLength(1)
  await using second = await startGateway(settings())
  const other = await second.caller("10")
  expect((await ask("restarted", { temperature: 0.5 }, {}, other)).calls).toHaveLength(2)
})
