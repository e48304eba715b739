import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import type { ModelSettings } from "../../../src/config/settings.ts"
import { provider, startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, errorOf, HELLO, nanocredits, receiptOf } from "../support.ts"

/** The tests use requests that need several calls of the provider. One of the later calls fails. */

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
/** Number of calls since the test began. */
let calls = 0
/** The number of the call that fails. */
let failing = 0
/** The number of the call whose response has no usage. */
let uncounted = 0
/** Number of calls at the beginning that fail: one immediately, the others later. */
let rejected = 0
/** Whether a call fails before the others are answered. Otherwise it fails afterwards. */
let isFirst = false
let status = 400
let message = "No."
/** Number of vectors that each response omits (or adds). */
let missing = 0
let others = Promise.withResolvers<void>()
let failed = Promise.withResolvers<void>()

/** Waits until everything that was sent earlier has been read. */
async function roundTrips(): Promise<void> {
  for (let count = 0; count < 3; count++) await (await fetch(gateway.url)).text()
}

function rejection(): Response {
  const error = { type: "invalid_request_error", message }
  return Response.json({ type: "error", message, error }, { status })
}

async function answer(body: Record<string, unknown>): Promise<Response> {
  const number = ++calls
  if (number === 1 && rejected > 0) void roundTrips().then(failed.resolve)
  else if (rejected > 0) await failed.promise
  if (number <= rejected) return rejection()
  if (rejected > 0) await roundTrips()
  if (number === failing && isFirst) {
    void roundTrips().then(failed.resolve)
    return rejection()
  }
  if (isFirst) await failed.promise
  if (number === failing - 1) others.resolve()
  if (number === failing) {
    if (failing > 1) await others.promise
    await roundTrips()
    return rejection()
  }
  if (Array.isArray(body.texts)) {
    const embeddings = { float: Array.from({ length: body.texts.length - missing }, () => [0.1]) }
    const meta = { billed_units: { input_tokens: 1000 } }
    return Response.json({ embeddings, ...(number !== uncounted && { meta }) })
  }
  if (body.prompt !== undefined) {
    const data = Array.from({ length: Number(body.n) }, () => ({ b64_json: PNG }))
    return Response.json({ created: 1, data })
  }
  const said = {
    id: "m",
    type: "message",
    role: "assistant",
    model: "claude",
    content: [{ type: "text", text: "Hello there" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 10, output_tokens: 100 },
  }
  return body.stream === true ? streamed(said) : Response.json(said)
}

function streamed(message: Record<string, unknown>): Response {
  const delta = { type: "text_delta", text: "Hello there" }
  const events = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 100 } },
    { type: "message_stop" },
  ]
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } })
}

/** Models for which the gateway has not learned any rules. */
const UNTAUGHT = Array.from({ length: 8 }, (_, index) => `model-${index}`)

function claude(...models: string[]): ModelSettings {
  return {
    kind: "chat",
    price: { input: "10", output: "100" },
    context: 100_000,
    maxOutput: 2000,
    deployments: models.map((model) => ({ provider: "anthropic", model, weight: 1 })),
  }
}

beforeAll(async () => {
  vendor = startVendor(async (_request, number) => answer(vendor.bodies[number - 1] ?? {}))
  const root = vendor.url.replace(/\/v1$/, "")
  gateway = await startGateway({
    settings: { routing: { strategy: "order", affinity: true, hedge: false, retries: 0 } },
    providers: {
      anthropic: { ...provider(root, "anthropic"), apiKey: "key" },
      cohere: { ...provider(root, "cohere"), apiKey: "key" },
      together: { ...provider(vendor.url, "together"), apiKey: "key" },
    },
    models: {
      "anthropic/claude": claude("claude"),
      "two/claude": claude("one", "two"),
      ...Object.fromEntries(UNTAUGHT.map((name) => [`untaught/${name}`, claude(name)])),
      "cohere/embed": {
        kind: "embedding",
        price: { input: "100" },
        deployments: [{ provider: "cohere", model: "embed-v4.0", weight: 1 }],
      },
      "cohere/with-fee": {
        kind: "embedding",
        price: { input: "100", request: "5000" },
        deployments: [{ provider: "cohere", model: "embed-v4.0", weight: 1 }],
      },
      "together/with-fee": {
        kind: "image",
        price: { image: "100000", request: "5000" },
        deployments: [{ provider: "together", model: "flux", weight: 1 }],
      },
      "together/flux": {
        kind: "image",
        price: { image: "100000" },
        deployments: [{ provider: "together", model: "flux", weight: 1 }],
      },
    },
  })
  caller = await gateway.caller("100")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

beforeEach(() => {
  calls = 0
  missing = 0
  rejected = 0
  uncounted = 0
  message = "No."
  isFirst = false
  others = Promise.withResolvers<void>()
  failed = Promise.withResolvers<void>()
})

describe.each([400, 500])("a request whose last call fails with %d", (failure) => {
  beforeEach(() => {
    status = failure
  })

  test("returns and charges the completed choices", async () => {
    failing = 4
    const order = { model: "anthropic/claude", messages: HELLO, n: 4, max_tokens: 500 }
    const response = await caller.post(CHAT, order)
    expect(response.status).toBe(200)
    const { choices, usage } = (await response.json()) as {
      choices: { index: number; message: { content: string } }[]
      usage: { completion_tokens: number }
    }
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(usage.completion_tokens).toBe(300)
    expect(response.headers.get("x-tollgate-losses")).toBe("n:approximated")
    const receipt = await receiptOf(caller, response)
    expect(receipt.cost).toBe("0.0303")
    const complete = receipt.attempts.filter(({ outcome }) => outcome === "ok")
    expect(complete).toHaveLength(3)
  })

  test("returns and charges the completed images", async () => {
    failing = 3
    const order = { model: "together/flux", prompt: "an owl", n: 10, response_format: "b64_json" }
    const response = await caller.post("/v1/images/generations", order)
    expect(response.status).toBe(200)
    expect(((await response.json()) as { data: unknown[] }).data).toHaveLength(8)
    expect((await receiptOf(caller, response)).cost).toBe("0.8")
  })

  test("charges for the texts that the provider has embedded, and returns the error", async () => {
    failing = 10
    const input = Array.from({ length: 960 }, () => "a few words of a text")
    const response = await caller.post("/v1/embeddings", { model: "cohere/embed", input })
    expect((await errorOf(response)).status).toBe(failure === 400 ? 400 : 502)
    const receipt = await receiptOf(caller, response)
    expect(receipt.usage).toMatchObject({ input: 9000 })
    expect(receipt.cost).toBe("0.9")
  })
})

describe.each([false, true])(
  "one of several calls whose parameter is rejected, streamed: %p",
  (stream) => {
    const fields = { messages: HELLO, n: 3, max_tokens: 500, temperature: 0.5, stream }
    let model = ""
    beforeEach(() => {
      model = `untaught/${UNTAUGHT.shift()}`
      status = 400
      message = "`temperature` is deprecated for this model."
    })

    test.each([false, true])(
      "causes a correction that does not change the other calls, rejected first: %p",
      async (first) => {
        isFirst = first
        failing = first ? 1 : 3
        const seen = vendor.bodies.length
        const response = await caller.post(CHAT, { ...fields, model })
        expect(response.status).toBe(200)
        expect((await response.text()).split("Hello there")).toHaveLength(4)
        expect(response.headers.get("x-tollgate-losses")).toBe("temperature:dropped")
        const sent = vendor.bodies.slice(seen).map(({ temperature }) => temperature)
        expect(sent).toEqual([0.5, 0.5, 0.5, undefined])
        const receipt = await receiptOf(caller, response)
        expect(receipt.cost).toBe("0.0303")
        expect(receipt.attempts.map(({ outcome }) => outcome).toSorted()).toEqual([
          "ok",
          "ok",
          "ok",
          "rejected_by_upstream",
        ])
      },
    )

    test("succeeds without the parameter, even if only the text of the error names the parameter", async () => {
      message = "temperature is not supported"
      failing = 3
      const response = await caller.post(CHAT, { ...fields, model })
      expect((await response.text()).split("Hello there")).toHaveLength(4)
      expect(response.headers.get("x-tollgate-losses")).toBe("temperature:dropped")
      expect((await receiptOf(caller, response)).cost).toBe("0.0303")
    })

    test("does not prevent the other choices even if no correction succeeds", async () => {
      isFirst = true
      failing = 1
      const strict = { "x-tollgate-strict": "true" }
      const response = await caller.post(CHAT, { ...fields, model }, strict)
      expect((await response.text()).split("Hello there")).toHaveLength(3)
      expect(calls).toBe(3)
      expect((await receiptOf(caller, response)).cost).toBe("0.0202")
    })
  },
)

describe.each([400, 429, 500, 200])(
  "a request whose first call fails with %d immediately",
  (failure) => {
    beforeEach(() => {
      status = failure
      isFirst = true
      failing = 1
    })

    test.each([false, true])(
      "returns and charges the other choices, streamed: %p",
      async (stream) => {
        const order = { model: "anthropic/claude", messages: HELLO, n: 4, max_tokens: 500, stream }
        const response = await caller.post(CHAT, order)
        expect(response.status).toBe(200)
        const text = await response.text()
        expect(text.split("Hello there")).toHaveLength(4)
        expect(text).not.toContain("error")
        expect(response.headers.get("x-tollgate-losses")).toBe("n:approximated")
        expect((await receiptOf(caller, response)).cost).toBe("0.0303")
      },
    )

    test("returns and charges the other images", async () => {
      const order = { model: "together/flux", prompt: "an owl", n: 10, response_format: "b64_json" }
      const response = await caller.post("/v1/images/generations", order)
      expect(response.status).toBe(200)
      expect(((await response.json()) as { data: unknown[] }).data).toHaveLength(6)
      expect((await receiptOf(caller, response)).cost).toBe("0.6")
    })

    test("charges for the other texts that were already sent, and sends no more", async () => {
      const input = Array.from({ length: 960 }, () => "a few words of a text")
      const response = await caller.post("/v1/embeddings", { model: "cohere/embed", input })
      expect((await errorOf(response)).status).toBeGreaterThanOrEqual(400)
      const receipt = await receiptOf(caller, response)
      // The gateway reads an error in a body only after all responses have arrived.
      expect(receipt.cost).toBe(failure === 200 ? "0.9" : "0.3")
    })

    test("charges for the documents that were embedded together with the query", async () => {
      const documents = ["word ".repeat(500), "word ".repeat(500)]
      const order = { model: "cohere/embed", query: "word ".repeat(1000), documents }
      const response = await caller.post("/v1/rerank", order)
      expect((await errorOf(response)).status).toBeGreaterThanOrEqual(400)
      expect((await receiptOf(caller, response)).cost).toBe("0.1")
    })
  },
)

test("a request is charged only for the deployment that answers", async () => {
  status = 500
  isFirst = true
  failing = 1
  const order = { model: "two/claude", messages: HELLO, n: 2, max_tokens: 500 }
  const response = await caller.post(CHAT, order)
  expect(((await response.json()) as { choices: unknown[] }).choices).toHaveLength(2)
  const receipt = await receiptOf(caller, response)
  expect(receipt.cost).toBe("0.0202")
  expect(receipt.attempts.map(({ outcome }) => outcome)).toEqual([
    "upstream_error",
    "not_needed",
    "ok",
    "ok",
  ])
})

test.each([1, 2, -1])(
  "a response that lacks %d vectors is rejected free of charge",
  async (count) => {
    missing = count
    failing = 0
    const order = { model: "cohere/embed", input: ["one", "two"] }
    const response = await caller.post("/v1/embeddings", order)
    expect((await errorOf(response)).error_type).toBe("upstream_error")
    expect((await receiptOf(caller, response)).cost).toBe("0")
  },
)

test("the query and the documents are embedded again if the server rejects base64 in several calls", async () => {
  status = 400
  rejected = 3
  message = "base64 encoding is not currently supported"
  const documents = Array.from({ length: 100 }, () => "word ".repeat(40))
  const order = { model: "cohere/embed", query: "word ".repeat(1000), documents }
  const response = await caller.post("/v1/rerank", order)
  expect(response.status, await response.clone().text()).toBe(200)
  const receipt = await receiptOf(caller, response)
  expect(receipt.attempts.map(({ outcome }) => outcome)).toEqual([
    "rejected_by_upstream",
    "not_needed",
    "not_needed",
    "ok",
    "ok",
    "ok",
  ])
  expect(receipt.cost).toBe("0.3")
})

describe.each([1, 2])("a request whose call %d has no usage from the provider", (number) => {
  const words = "word ".repeat(20)
  beforeEach(() => {
    failing = 0
    uncounted = number
  })

  test.each([
    ["/v1/embeddings", { input: Array.from({ length: 150 }, () => words) }, 150],
    ["/v1/rerank", { query: words, documents: [words, words, words] }, 4],
  ])("costs its price according to the gateway's own count at %s", async (path, body, texts) => {
    const response = await caller.post(path, { model: "cohere/embed", ...body })
    expect(response.status).toBe(200)
    const receipt = await receiptOf(caller, response)
    expect(receipt.estimated).toBe(true)
    const { input = 0 } = receipt.usage as { input?: number }
    expect(input).toBeGreaterThanOrEqual(20 * texts)
    expect(input).toBeLessThan(23 * texts)
  })
})

describe("the fee per call", () => {
  const texts = Array.from({ length: 200 }, () => "word ".repeat(20))
  const image = { prompt: "an owl", n: 10, response_format: "b64_json" }
  const cases = [
    ["/v1/embeddings", { model: "cohere/with-fee", input: texts }, 3, "0.3"],
    ["/v1/images/generations", { model: "together/with-fee", ...image }, 3, "1"],
    [
      "/v1/rerank",
      { model: "cohere/with-fee", query: "a", documents: texts.slice(0, 100) },
      3,
      "0.3",
    ],
  ] as const

  test.each(cases)(
    "applies to each call of %s, in the hold and in the charge",
    async (path, body, count, rest) => {
      failing = 0
      const response = await caller.post(path, body)
      expect(response.status, await response.clone().text()).toBe(200)
      expect(calls).toBe(count)
      const { cost, hold, usage } = await receiptOf(caller, response)
      expect(usage).toMatchObject({ request: count })
      const fees = BigInt(count) * 5_000_000n
      expect(nanocredits(cost)).toBe(nanocredits(rest) + fees)
      expect(nanocredits(hold)).toBeGreaterThanOrEqual(nanocredits(cost))
      const estimated = await caller.post("/v1/estimate", { path, body })
      const { most } = (await estimated.json()) as { most: string }
      expect(nanocredits(most)).toBe(nanocredits(hold))
    },
  )

  test("applies only to calls that succeed", async () => {
    status = 500
    failing = 3
    const order = { ...image, model: "together/with-fee" }
    const response = await caller.post("/v1/images/generations", order)
    expect(response.status).toBe(200)
    expect((await receiptOf(caller, response)).cost).toBe("0.81")
  })
})
