import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { CHAT } from "../support.ts"

const ID = "1234567890123456789"
const USAGE = { input_tokens: 3, output_tokens: 2 }

const WHOLE = `{"id":"msg_1","type":"message","role":"assistant","model":"x","content":[{"type":"tool_use","id":"t1","name":"f","input":{"id":${ID}}}],"stop_reason":"tool_use","usage":${JSON.stringify(USAGE)}}`
const STREAM = [
  `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"x","content":[],"usage":${JSON.stringify(USAGE)}}}`,
  `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"f","input":{"id":${ID}}}}`,
  '{"type":"content_block_stop","index":0}',
  `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":${JSON.stringify(USAGE)}}`,
  '{"type":"message_stop"}',
]

/** Bodies as the provider received them. */
const bodies: string[] = []
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const text = await request.text()
    bodies.push(text)
    if (!text.includes('"stream":true')) return new Response(WHOLE, { headers: JSON_TYPE })
    const frames = STREAM.map(
      (data) => `event: ${/"type":"(\w+)"/.exec(data)?.[1]}\ndata: ${data}\n\n`,
    )
    return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } })
  },
})
const JSON_TYPE = { "content-type": "application/json" }

let gateway: TestGateway
let caller: TestCaller
beforeAll(async () => {
  gateway = await startGateway({
    models: { "claude/m": simulated() },
    providers: { claude: provider(`http://127.0.0.1:${server.port}/v1`, "anthropic") },
  })
  caller = await gateway.caller()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await server.stop(true)
})

const MESSAGES = `[{"role":"user","content":"PADDING"},{"role":"assistant","content":[{"type":"tool_use","id":"t0","name":"f","input":{"id":${ID}}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t0","content":"ok"}]}]`
const CHAT_MESSAGES = `[{"role":"user","content":"PADDING"},{"role":"assistant","content":null,"tool_calls":[{"id":"t0","type":"function","function":{"name":"f","arguments":"{\\"id\\":${ID}}"}}]},{"role":"tool","tool_call_id":"t0","content":"ok"}]`

const CALLER_FORMATS = [
  [
    "/v1/messages",
    `"messages":${MESSAGES},"max_tokens":9,"tools":[{"name":"f","input_schema":{"type":"object"}}]`,
  ],
  [CHAT, `"messages":${CHAT_MESSAGES},"tools":[{"type":"function","function":{"name":"f"}}]`],
] as const

const CASES = CALLER_FORMATS.flatMap(([path, rest]) =>
  [false, true].flatMap((stream) => [1, 600_000].map((length) => ({ path, rest, stream, length }))),
)

test.each(CASES)(
  "$path keeps large integers, streamed $stream, in a body of at least $length bytes",
  async ({ path, rest, stream, length }) => {
    const fields = rest.replace("PADDING", "x".repeat(length))
    const response = await caller.post(path, `{"model":"claude/m","stream":${stream},${fields}}`)
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(bodies.at(-1)).toContain(`"id":${ID}`)
    expect(text).toMatch(new RegExp(`id\\\\*":${ID}`))
  },
)

test("an integer above 2^53 is rejected if the parameter has a maximum", async () => {
  const body = `{"model":"claude/m","messages":[{"role":"user","content":"x"}],"n":${ID}}`
  const response = await caller.post(CHAT, body)
  expect(response.status).toBe(400)
  const { error } = (await response.json()) as { error: { code: string } }
  expect(error.code).toBe("above_max_value")
})
