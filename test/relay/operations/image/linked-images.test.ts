import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { connect } from "node:net"
import { equalLimits } from "../../../support/settings.ts"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"
import { until } from "../../../support/until.ts"
import { CHAT, errorOf, receiptOf } from "../../support.ts"

/** The gateway fetches the generated images in these tests, because the caller requests base64. */

const MEGABYTE = 1024 * 1024

let vendor: Bun.Server<undefined>
let gateway: TestGateway
let calls = 0

beforeAll(async () => {
  vendor = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch({ url, method }) {
      if (method === "GET") {
        return new Response(Buffer.alloc(Number(new URL(url).pathname.slice(1))))
      }
      calls++
      return Response.json({ created: 1, data: links })
    },
  })
  const root = `http://127.0.0.1:${vendor.port}/v1`
  gateway = await startGateway({
    settings: {
      limits: { ...equalLimits(16 * MEGABYTE), memoryBytes: 64 * MEGABYTE },
    },
    providers: {
      own: provider(root, "openai-compatible"),
      other: provider(root, "openai-compatible"),
    },
    models: {
      "own/image": {
        kind: "image",
        price: { image: "20000" },
        deployments: [
          { provider: "own", model: "a", weight: 1 },
          { provider: "other", model: "a", weight: 1 },
        ],
      },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

let links: { url: string }[] = []

function generate(caller: TestCaller, bytes: number, n: number): Promise<Response> {
  links = Array.from({ length: n }, () => ({ url: `http://127.0.0.1:${vendor.port}/${bytes}` }))
  calls = 0
  const body = { model: "own/image", prompt: "an owl", n, response_format: "b64_json" }
  return caller.post("/v1/images/generations", body)
}

/** Starts an upload that holds memory until it is disposed of. */
async function upload(caller: TestCaller, bytes: number): Promise<Disposable> {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  socket.write(
    `POST ${CHAT} HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${caller.key}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`,
  )
  // Once a body of the same size is rejected, the upload holds its memory.
  await until(async () => {
    const body = { model: "none/none", messages: [], x: "a".repeat(bytes) }
    const { status } = await caller.post(CHAT, body)
    return status === 503
  })
  return { [Symbol.dispose]: () => void socket.destroy() }
}

/** Expects that the images of a request are charged, although the caller receives an error. */
async function expectCharged(
  caller: TestCaller,
  response: Response,
  cost: string,
): Promise<string> {
  const receipt = await receiptOf(caller, response)
  expect(receipt).toMatchObject({ status: "settled", charged: cost })
  expect(response.headers.get("x-should-retry")).toBe("false")
  expect(calls).toBe(1)
  const { message } = await errorOf(response)
  expect(message).toContain("was charged")
  return message
}

describe("generated images that the gateway cannot fetch", () => {
  test("cost their price if parallel requests of the same key hold the memory", async () => {
    const caller = await gateway.caller("10")
    using _ = await upload(caller, 8 * MEGABYTE)
    const message = await expectCharged(caller, await generate(caller, 3 * MEGABYTE, 4), "0.08")
    expect(message).toContain("Parallel requests")
  })

  test("cost their price if they exceed the memory of one request", async () => {
    const caller = await gateway.caller("10")
    const message = await expectCharged(caller, await generate(caller, 10 * MEGABYTE, 4), "0.08")
    expect(message).toContain("limits.memory_mb")
  })

  test("cost their price if a file is too large", async () => {
    const caller = await gateway.caller("10")
    const message = await expectCharged(caller, await generate(caller, 17 * MEGABYTE, 1), "0.02")
    expect(message).toContain("limits.media_mb")
  })

  test("cost nothing if the requests of other callers hold the memory", async () => {
    using _ = await upload(await gateway.caller("10"), 15 * MEGABYTE)
    const caller = await gateway.caller("10")
    const response = await generate(caller, 3 * MEGABYTE, 4)
    expect(response.status).toBe(503)
    expect(await caller.balance()).toBe(10_000_000_000n)
    await response.text()
  })
})
