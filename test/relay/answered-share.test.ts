import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, startGateway, type TestGateway } from "../support/gateway.ts"
import { onlyReceipt } from "./support.ts"

const PIXEL = Buffer.from("89504e470d0a1a0a", "hex").toString("base64")
let vendor: Bun.Server<undefined>
let gateway: TestGateway
/** Calls that the provider has answered before it refuses one. */
let answers = 0
let calls = 0

beforeAll(async () => {
  vendor = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as { texts?: string[]; n?: number }
      if (calls++ >= answers) {
        return Response.json(
          { message: "too long", error: { message: "too long" } },
          { status: 400 },
        )
      }
      if (body.texts) {
        const meta = { billed_units: { input_tokens: body.texts.length } }
        const embeddings = { float: body.texts.map(() => [0.1]) }
        return Response.json({ id: "1", embeddings, meta })
      }
      const data = Array.from({ length: body.n ?? 1 }, () => ({ b64_json: PIXEL }))
      return Response.json({ data })
    },
  })
  const url = `http://127.0.0.1:${vendor.port}`
  gateway = await startGateway({
    providers: { cohere: provider(url, "cohere"), openrouter: provider(`${url}/v1`, "openrouter") },
    models: {
      "cohere/embed": { kind: "embedding", price: { input: "1" } },
      "openrouter/flux": { kind: "image", price: { image: "10000" } },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

/** @returns the receipt of a request of which the provider answers a number of calls, then refuses one. */
async function refusedAfter(count: number, path: string, body: object) {
  answers = count
  calls = 0
  const caller = await gateway.caller("100")
  const response = await caller.post(path, body)
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining("too long"),
  ])
  return onlyReceipt(gateway, caller)
}

const TEXTS = { model: "cohere/embed", input: Array.from({ length: 480 }, () => "word") }
const IMAGES = { model: "openrouter/flux", prompt: "owls", n: 10, response_format: "b64_json" }

test("embeddings are paid for as far as their provider has answered before it refuses the rest", async () => {
  // Four of the five calls are made at once.
  const receipt = await refusedAfter(4, "/v1/embeddings", TEXTS)
  expect(receipt).toMatchObject({ status: "settled", estimated: true, usage: { input: 384 } })
  expect(receipt.attempts.at(-1)).toMatchObject({ outcome: "refused_by_upstream" })
})

test("images are paid for as far as their provider has answered before it refuses the rest", async () => {
  // One image a call, four calls at once.
  const receipt = await refusedAfter(4, "/v1/images/generations", IMAGES)
  expect(receipt).toMatchObject({ status: "settled", usage: { image: 4 } })
})

test("a request that is refused before any answer is free", async () => {
  expect((await refusedAfter(0, "/v1/embeddings", TEXTS)).status).toBe("released")
  expect((await refusedAfter(0, "/v1/images/generations", IMAGES)).status).toBe("released")
})
