import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test"
import type { EventEncoder } from "../../../src/canon/dialect.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"
import { Embeddings } from "../../../src/relay/operations/embedding/embeddings.ts"
import { Reranking } from "../../../src/relay/operations/rerank/rerank.ts"
import {
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { onlyReceipt } from "../support.ts"

const FAULT = new Error("a fault of our own")

let gateway: TestGateway
let caller: TestCaller

beforeEach(async () => {
  gateway = await startGateway({
    models: {
      "sim/echo": simulated(),
      "sim/embed": { kind: "embedding", price: { input: "1" } },
      "sim/rerank": { kind: "rerank", price: { search: "1" } },
    },
  })
  caller = await gateway.caller("10")
})

afterEach(() => gateway[Symbol.asyncDispose]())

interface ErrorInBody {
  readonly error: { readonly message: string }
}

async function messageOf(response: Response): Promise<string> {
  expect(response.status).toBe(500)
  return ((await response.json()) as ErrorInBody).error.message
}

const ask = (stream: boolean): Promise<Response> =>
  caller.post("/v1/messages", {
    model: "sim/echo",
    max_tokens: 100,
    messages: [{ role: "user", content: "Hello there, gateway" }],
    stream,
  })

/** Makes the encoder for callers with Anthropic's dialect faulty. */
function breakEncoder(fault: Partial<EventEncoder>): Disposable {
  const encode = ANTHROPIC_MESSAGES.encodeEvents.bind(ANTHROPIC_MESSAGES)
  return spyOn(ANTHROPIC_MESSAGES, "encodeEvents").mockImplementation((request) => {
    const encoder = encode(request)
    return {
      push: (event) => encoder.push(event),
      end: () => encoder.end(),
      fail: (error, id) => encoder.fail(error, id),
      ...fault,
    }
  })
}

function broken(): never {
  throw FAULT
}

describe("an internal error", () => {
  test("states that nothing was charged if it occurs before any charge", async () => {
    using _ = spyOn(ANTHROPIC_MESSAGES, "decodeRequest").mockImplementation(broken)
    expect(await messageOf(await ask(false))).toContain("Nothing was charged")
    expect(gateway.heard).toContainEqual({
      name: "requestFailed",
      facts: [expect.stringMatching(/^req_/), FAULT],
    })
  })

  test("states the charge for a whole response", async () => {
    using _ = spyOn(ANTHROPIC_MESSAGES, "encodeResult").mockImplementation(broken)
    const message = await messageOf(await ask(false))
    expect(message).toContain("was charged")
    expect(message).not.toContain("Nothing")
    expect((await onlyReceipt(gateway, caller)).status).toBe("settled")
    expect(gateway.heard).toContainEqual({
      name: "requestFailed",
      facts: [expect.stringMatching(/^req_/), FAULT],
    })
  })

  test("states in a stream that the delivered part was charged", async () => {
    let pushed = 0
    const real = ANTHROPIC_MESSAGES.encodeEvents.bind(ANTHROPIC_MESSAGES)
    using _ = spyOn(ANTHROPIC_MESSAGES, "encodeEvents").mockImplementation((request) => {
      const encoder = real(request)
      return {
        push: (event) =>
          event.type === "text-delta" && ++pushed > 2 ? broken() : encoder.push(event),
        end: () => encoder.end(),
        fail: (error, id) => encoder.fail(error, id),
      }
    })
    const text = await (await ask(true)).text()
    expect(text).toContain("event: error")
    expect(text).toContain("was charged")
    expect(text).not.toContain("Nothing was charged")
    expect((await onlyReceipt(gateway, caller)).status).toBe("settled")
  })

  test("states the charge if it occurs at the end of a stream", async () => {
    using _ = breakEncoder({ end: broken })
    const text = await (await ask(true)).text()
    expect(text).toContain("event: error")
    expect(text).toContain("was charged")
    expect(text).not.toContain("Nothing was charged")
    expect((await onlyReceipt(gateway, caller)).status).toBe("settled")
  })

  test("states the charge of embeddings", async () => {
    const { embed } = Embeddings.prototype
    using _ = spyOn(Embeddings.prototype, "embed").mockImplementation(async function (
      this: Embeddings,
      ...order
    ) {
      const open = await embed.apply(this, order)
      return Object.defineProperty(open, "value", {
        value: Object.defineProperty({ ...open.value }, "vectors", { get: broken }),
      })
    })
    const response = await caller.post("/v1/embeddings", { model: "sim/embed", input: "rain" })
    const message = await messageOf(response)
    expect(message).toContain("was charged")
    expect(message).not.toContain("Nothing")
    expect((await onlyReceipt(gateway, caller)).status).toBe("settled")
  })

  test("states the charge for a ranking", async () => {
    const { rerank } = Reranking.prototype
    using _ = spyOn(Reranking.prototype, "rerank").mockImplementation(async function (
      this: Reranking,
      ...order
    ) {
      const open = await rerank.apply(this, order)
      return Object.defineProperty(open, "value", {
        value: Object.defineProperty({ ...open.value }, "ranking", { get: broken }),
      })
    })
    const body = { model: "sim/embed", query: "rain", documents: ["rain", "sun"] }
    const message = await messageOf(await caller.post("/v1/rerank", body))
    expect(message).toContain("was charged")
    expect(message).not.toContain("Nothing")
    expect((await onlyReceipt(gateway, caller)).status).toBe("settled")
  })
})
