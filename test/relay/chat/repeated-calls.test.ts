import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import type { ModelSettings } from "../../../src/config/settings.ts"
import { provider, startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO, receiptOf } from "../support.ts"

/** The tests use requests that need several calls of a provider. One of these calls fails. */

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
/** The statuses of the first calls. Later calls succeed. */
let statuses: readonly number[] = []
/** Number of calls since the test began. */
let calls = 0

async function answer(body: Record<string, unknown>): Promise<Response> {
  const status = statuses[calls++] ?? 200
  const error = { type: "api_error", message: "No." }
  if (status !== 200) return Response.json({ type: "error", message: "No.", error }, { status })
  if (Array.isArray(body.texts)) {
    const embeddings = { float: body.texts.map(() => [0.1]) }
    return Response.json({ embeddings, meta: { billed_units: { input_tokens: 1000 } } })
  }
  if (body.prompt !== undefined) {
    const data = Array.from({ length: Number(body.n) }, () => ({ b64_json: "aGk=" }))
    return Response.json({ created: 1, data })
  }
  const usage = { input_tokens: 10, output_tokens: 100 }
  const content = [{ type: "text", text: "Hello there" }]
  const message = { id: "m", type: "message", role: "assistant", model: "claude", usage }
  if (body.stream !== true) return Response.json({ ...message, content, stop_reason: "end_turn" })
  const events = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello there" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 100 } },
    { type: "message_stop" },
  ]
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } })
}

function claude(model: string): ModelSettings {
  return {
    kind: "chat",
    price: { input: "10", output: "100" },
    context: 100_000,
    maxOutput: 2000,
    deployments: [{ provider: "anthropic", model, weight: 1 }],
  }
}

beforeAll(async () => {
  vendor = startVendor(async (_request, number) => answer(vendor.bodies[number - 1] ?? {}))
  const root = vendor.url.replace(/\/v1$/, "")
  gateway = await startGateway({
    settings: { routing: { strategy: "order", affinity: true, hedge: false, retries: 1 } },
    providers: {
      anthropic: { ...provider(root, "anthropic"), apiKey: "key" },
      cohere: { ...provider(root, "cohere"), apiKey: "key" },
      together: { ...provider(vendor.url, "together"), apiKey: "key" },
    },
    models: {
      // The number of retries of each deployment is limited.
      "anthropic/whole": claude("whole"),
      "anthropic/streamed": claude("streamed"),
      "cohere/embed": {
        kind: "embedding",
        price: { input: "100" },
        deployments: [{ provider: "cohere", model: "embed-v4.0", weight: 1 }],
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
})

describe.each([false, true])("a chat with three choices, streamed: %p", (stream) => {
  const model = `anthropic/${stream ? "streamed" : "whole"}`
  const order = { model, messages: HELLO, n: 3, max_tokens: 500, stream }

  test.each([
    [500, 200, 200],
    [200, 500, 200],
    [200, 200, 503],
    [200, 500, 500],
  ])("repeats only the calls that failed: %d, %d, %d", async (first, second, third) => {
    statuses = [first, second, third]
    const response = await caller.post(CHAT, order)
    expect((await response.text()).split("Hello there")).toHaveLength(4)
    expect(response.headers.get("x-tollgate-losses")).toBeNull()
    expect(calls).toBe(3 + statuses.filter((status) => status !== 200).length)
    const { cost, attempts } = await receiptOf(caller, response)
    expect(cost).toBe("0.0303")
    expect(attempts.filter(({ outcome }) => outcome === "ok")).toHaveLength(3)
  })

  test("returns and charges the other choices if the repeated call fails, too", async () => {
    statuses = [200, 500, 200, 500]
    const response = await caller.post(CHAT, order)
    expect((await response.text()).split("Hello there")).toHaveLength(3)
    expect(response.headers.get("x-tollgate-losses")).toBe("n:approximated")
    expect(calls).toBe(4)
    expect((await receiptOf(caller, response)).cost).toBe("0.0202")
  })

  test("returns the other choices without a retry if the provider rejects one call", async () => {
    statuses = [200, 400, 200]
    const response = await caller.post(CHAT, order)
    expect((await response.text()).split("Hello there")).toHaveLength(3)
    expect(calls).toBe(3)
    expect((await receiptOf(caller, response)).cost).toBe("0.0202")
  })

  test("makes all calls again if no call was answered", async () => {
    statuses = [500, 500, 500]
    const response = await caller.post(CHAT, order)
    expect((await response.text()).split("Hello there")).toHaveLength(4)
    expect(calls).toBe(6)
    expect((await receiptOf(caller, response)).cost).toBe("0.0303")
  })
})

test("images in several calls repeat only the call that failed", async () => {
  statuses = [200, 500, 200]
  const order = { model: "together/flux", prompt: "an owl", n: 10, response_format: "b64_json" }
  const response = await caller.post("/v1/images/generations", order)
  expect(((await response.json()) as { data: unknown[] }).data).toHaveLength(10)
  expect(calls).toBe(4)
  expect((await receiptOf(caller, response)).cost).toBe("1")
})

test.each([0, 5, 9])(
  "texts in several calls repeat only call %d, which failed",
  async (failing) => {
    statuses = Array.from({ length: 10 }, (_, index) => (index === failing ? 500 : 200))
    const input = Array.from({ length: 960 }, () => "a few words of a text")
    const response = await caller.post("/v1/embeddings", { model: "cohere/embed", input })
    expect(((await response.json()) as { data: unknown[] }).data).toHaveLength(960)
    expect(calls).toBe(11)
    expect((await receiptOf(caller, response)).cost).toBe("1")
  },
)
