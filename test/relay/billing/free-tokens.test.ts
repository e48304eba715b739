import { afterAll, beforeAll, expect, test } from "bun:test"
import type { ModelSettings } from "../../../src/config/settings.ts"
import { startGateway, type TestGateway } from "../../support/gateway.ts"
import { CHAT, HELLO } from "../support.ts"
import { AbsurdProvider, absurdProviders } from "./absurd-numbers-world.ts"

const upstream = new AbsurdProvider()
let gateway: TestGateway

function free(
  provider: string,
  model: string,
  kind: NonNullable<ModelSettings["kind"]>,
  price: NonNullable<ModelSettings["price"]>,
): ModelSettings {
  return { kind, price, deployments: [{ provider, model, weight: 1 }] }
}

const FREE = { input: "0", output: "0" } as const

beforeAll(async () => {
  gateway = await startGateway({
    models: {
      "free/chat": free("chat", "echo", "chat", FREE),
      "free/responses": free("responses", "echo", "chat", FREE),
      "free/claude": free("claude", "echo", "chat", FREE),
      "free/google": free("google", "echo", "chat", FREE),
      "fee/chat": free("chat", "echo", "chat", { ...FREE, request: "1000" }),
      "free/embed": free("openai", "text-embedding-3-small", "embedding", { input: "0" }),
    },
    providersAt: (url) => {
      upstream.target = url
      return absurdProviders(upstream.url)
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  upstream[Symbol.dispose]()
})

const CHATS = ["free/chat", "free/responses", "free/claude", "free/google", "fee/chat"]

const CALLS = [
  ...CHATS.flatMap((model) =>
    [false, true].map((stream) => ({
      name: `${model}${stream ? ", streamed" : ""}`,
      path: CHAT,
      body: { model, messages: HELLO, max_tokens: 100, stream },
    })),
  ),
  {
    name: "free/embed",
    path: "/v1/embeddings",
    body: { model: "free/embed", input: "hello" },
  },
]

test.each(CALLS)(
  "usage with an impossible count of $name does not exhaust the key's tokens per minute",
  async ({ path, body }) => {
    upstream.number = "18446744073709551615"
    const caller = await gateway.caller("10000", { tokensPerMinute: 1_000_000 })
    const first = await caller.post(path, body)
    expect(first.status).toBe(200)
    await first.text()
    upstream.number = "1"
    const second = await caller.post(path, body)
    expect(second.status).toBe(200)
    await second.text()
  },
)
