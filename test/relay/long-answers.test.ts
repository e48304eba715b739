import { afterAll, beforeAll, expect, test } from "bun:test"
import { longestPause } from "../support/pauses.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../support/gateway.ts"
import { CHAT, HELLO } from "./support.ts"

/** A whole answer of a provider with fields of its own, about fifteen megabytes of members. */
const LONG = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  // Many names are slower to parse than as many values.
  details: Array.from({ length: 45 }, (_, block) =>
    Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`member number ${block * 10_000 + at}`, at]),
    ),
  ),
})

let vendor: Bun.Server<undefined>
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  vendor = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(LONG, { headers: { "content-type": "application/json" } }),
  })
  gateway = await startGateway({
    providers: { long: provider(`http://127.0.0.1:${vendor.port}/v1`) },
    models: { "long/m": simulated() },
  })
  caller = await gateway.caller("100")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

test("a long whole answer of a chat stops no one, and arrives unchanged", async () => {
  let text = ""
  const pause = await longestPause(150, async () => {
    const response = await caller.post(CHAT, { model: "long/m", messages: HELLO })
    expect(response.status).toBe(200)
    text = await response.text()
  })
  const { model: _, ...answer } = JSON.parse(text) as Record<string, unknown>
  const { model: _model, ...given } = JSON.parse(LONG) as Record<string, unknown>
  // To compare so many members one by one takes seconds.
  expect(JSON.stringify(answer) === JSON.stringify(given)).toBe(true)
  expect(pause).toBeLessThan(150)
})
