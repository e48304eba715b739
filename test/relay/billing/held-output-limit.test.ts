import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { CHAT, HELLO, nanocredits, receiptOf } from "../support.ts"

const SPOKEN = "word ".repeat(100)

let gateway: TestGateway
let speaker: ReturnType<typeof startSpeaker>

/** Starts a vendor that announces 1,000 bytes of audio, sends 250 of them, and closes the connection. */
function startSpeaker() {
  return Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        const head = "HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\ncontent-length: 1000\r\n\r\n"
        socket.write(head + "x".repeat(150))
        // The gateway passes on only the first of the two chunks.
        setTimeout(() => {
          socket.write("x".repeat(100))
          socket.end()
        }, 50)
      },
    },
  })
}

beforeAll(async () => {
  speaker = startSpeaker()
  gateway = await startGateway({
    providers: { speaker: provider(`http://127.0.0.1:${speaker.port}/v1`) },
    providersAt: (url) => ({
      anthropic: provider(url, "anthropic"),
      cohere: provider(url, "cohere"),
    }),
    models: {
      "anthropic/claude": simulated({ maxOutput: 64_000, context: 200_000 }),
      "anthropic/unknown": {
        kind: "chat",
        price: { input: "1", output: "2" },
        deployments: [{ provider: "anthropic", model: "claude", weight: 1 }],
      },
      "cohere/echo": simulated(),
      "speaker/tts": { kind: "speech", price: { character: "15" } },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  speaker.stop(true)
})

async function ask(model: string, more: object = {}) {
  const caller = await gateway.caller("1")
  const response = await caller.post(CHAT, { model, messages: HELLO, ...more })
  expect(response.status).toBe(200)
  const body = gateway.simulator.requests.at(-1)?.body as { max_tokens?: number }
  return { body, response, receipt: await receiptOf(caller, response) }
}

describe("the output limit sent to Claude", () => {
  test("equals the model's maximum if the caller sets no limit", async () => {
    expect((await ask("anthropic/claude")).body.max_tokens).toBe(64_000)
  })

  test("equals the caller's limit if the caller sets one", async () => {
    expect((await ask("anthropic/claude", { max_tokens: 100 })).body.max_tokens).toBe(100)
  })

  test("never exceeds the model's maximum", async () => {
    const { body, response, receipt } = await ask("anthropic/claude", { max_tokens: 1e9 })
    expect(body.max_tokens).toBe(64_000)
    expect(response.headers.get("x-tollgate-max-tokens")).toBe("64000")
    expect(nanocredits(receipt.hold)).toBeLessThan(129_000_000n)
  })

  test("equals the default if the model's maximum is unknown", async () => {
    expect((await ask("anthropic/unknown")).body.max_tokens).toBe(8_192)
  })
})

test("the hold covers the prompt once for each choice if the model reads the prompt for each choice", async () => {
  const content = "word ".repeat(2_000)
  const order = { max_tokens: 10, messages: [{ role: "user", content }] }
  const once = nanocredits((await ask("anthropic/claude", order)).receipt.hold)
  const { receipt } = await ask("anthropic/claude", { ...order, n: 3 })
  // The body is longer because of its member `n`.
  expect(nanocredits(receipt.hold)).toBeGreaterThanOrEqual(3n * once)
  expect(nanocredits(receipt.hold)).toBeLessThan(4n * once)
  expect(nanocredits(receipt.cost)).toBeLessThanOrEqual(nanocredits(receipt.hold))
})

test("Cohere requests are charged by billed units, and the hold covers the charge", async () => {
  const { receipt } = await ask("cohere/echo", { max_tokens: 3 })
  expect(receipt.usage?.["output"]).toBeLessThanOrEqual(3)
  expect(nanocredits(receipt.cost)).toBeLessThanOrEqual(nanocredits(receipt.hold))
})

test("interrupted speech is charged for the part of the text that the received audio covers", async () => {
  const caller = await gateway.caller("1")
  const body = { model: "speaker/tts", voice: "alloy", input: SPOKEN }
  const response = await caller.post("/v1/audio/speech", body)
  await expect(response.bytes()).rejects.toThrow()
  const receipt = await receiptOf(caller, response)
  expect(receipt).toMatchObject({ status: "settled", estimated: true, usage: { character: 125 } })
})
