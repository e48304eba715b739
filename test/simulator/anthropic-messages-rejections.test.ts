import { expect, test } from "bun:test"
import { startSimulator } from "../../simulator/server.ts"
import {
  asking,
  PIXEL,
  post,
  rejectionOf,
  THINKING,
  TOOLS,
  withClient,
  type Fields,
} from "./anthropic-support.ts"

const THOUGHT = { type: "thinking", thinking: "hm", signature: "bm90IG1pbmU=" }

test("the Anthropic simulator rejects thinking with an invalid signature or changed text", async () => {
  await using simulator = withClient()
  const more = { thinking: THINKING }
  const { content } = await simulator.client.messages.create(asking("why", more))
  const turns = (block: unknown) => [
    { role: "user", content: "why" },
    { role: "assistant", content: [block, { type: "text", text: "so" }] },
    { role: "user", content: "on" },
  ]
  const ok = await post(simulator, asking("", { messages: turns(content[0]) }))
  expect(ok.status).toBe(200)
  const invalid = "messages.1.content.0: Invalid `signature` in `thinking` block"
  expect(await rejectionOf(asking("", { messages: turns(THOUGHT) }))).toBe(invalid)
  const changed = { ...content[0], thinking: "other" }
  expect(await rejectionOf(asking("", { messages: turns(changed) }))).toBe(invalid)
  const { signature: _, ...unsigned } = THOUGHT
  expect(await rejectionOf(asking("", { messages: turns(unsigned) }))).toBe(
    "messages.1.content.0.thinking.signature: Field required",
  )
})

test("the Anthropic simulator requires the thinking of the current turn, unless thinking is adaptive", async () => {
  const use = { type: "tool_use", id: "toolu_1", name: "get_time", input: {} }
  const result = { type: "tool_result", tool_use_id: "toolu_1", content: "noon" }
  const messages = [
    { role: "user", content: "get_time" },
    { role: "assistant", content: [use] },
    { role: "user", content: [result] },
  ]
  const body = asking("", { messages, tools: TOOLS })
  expect(await rejectionOf({ ...body, thinking: THINKING })).toStartWith(
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
  )
  await using simulator = startSimulator()
  const adaptive = await post(simulator, { ...body, thinking: { type: "adaptive" } })
  expect(adaptive.status).toBe(200)
})

function turns(assistant: unknown, user: unknown) {
  const messages = [
    { role: "user", content: "go" },
    { role: "assistant", content: assistant },
    { role: "user", content: user },
  ]
  return asking("", { messages, tools: TOOLS })
}

function use(id: string) {
  return { type: "tool_use", id, name: "get_time", input: {} }
}

function result(id: string) {
  return { type: "tool_result", tool_use_id: id, content: "noon" }
}

function ofUser(block: Fields) {
  return asking("", { messages: [{ role: "user", content: [block] }] })
}

const UNANSWERED =
  "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: "

const REJECTIONS: [string, unknown, string][] = [
  [
    "no max_tokens",
    { model: "m", messages: [{ role: "user", content: "a" }] },
    "max_tokens: Field required",
  ],
  ["no messages", asking("", { messages: [] }), "messages: at least one message is required"],
  ["an unknown field", asking("a", { n: 2 }), "n: Extra inputs are not permitted"],
  [
    "an inherited name",
    asking("a", { constructor: 1 }),
    "constructor: Extra inputs are not permitted",
  ],
  ["a temperature above 1", asking("a", { temperature: 1.5 }), "temperature: range: 0..1"],
  [
    "null as a parameter",
    asking("a", { temperature: null }),
    "temperature: Input should be a valid number",
  ],
  ["an empty text", asking(""), "messages.0: all messages must have non-empty content"],
  [
    "an empty text block",
    ofUser({ type: "text", text: "" }),
    "messages: text content blocks must be non-empty",
  ],
  [
    "a blank text",
    ofUser({ type: "text", text: " " }),
    "messages: text content blocks must contain non-whitespace text",
  ],
  [
    "a prefilled answer that ends in white space",
    asking("", {
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", content: "so " },
      ],
    }),
    "messages: final assistant content cannot end with trailing whitespace",
  ],
  [
    "an unknown role",
    asking("", { messages: [{ role: "tool", content: "a" }] }),
    "messages.0.role: Input should be 'user' or 'assistant'",
  ],
  [
    "a system message first",
    asking("", { messages: [{ role: "system", content: "a" }] }),
    'messages: Unexpected role "system".',
  ],
  [
    "an assistant first",
    asking("", { messages: [{ role: "assistant", content: "a" }] }),
    'messages: first message must use the "user" role',
  ],
  [
    "an unknown block",
    ofUser({ type: "input_text", text: "a" }),
    "messages.0.content.0: Input tag 'input_text' found using 'type'",
  ],
  [
    "an unknown field of a block",
    ofUser({ type: "text", text: "a", id: 1 }),
    "messages.0.content.0.text.id: Extra inputs are not permitted",
  ],
  ["no result", turns([use("a"), use("b")], [result("a")]), `${UNANSWERED}b.`],
  [
    "text before results",
    turns([use("a")], [{ type: "text", text: "so" }, result("a")]),
    `${UNANSWERED}a.`,
  ],
  [
    "a result without a call",
    turns("yes", [result("a")]),
    "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a.",
  ],
  [
    "two results",
    turns([use("a")], [result("a"), result("a")]),
    "messages.2.content.1: each tool_use must have a single result.",
  ],
  [
    "an invalid call id",
    turns([use("a.b")], [result("a.b")]),
    "messages.1.content.0.tool_use.id: String should match pattern",
  ],
  [
    "a choice without tools",
    asking("a", { tool_choice: { type: "auto" } }),
    "tool_choice may only be specified while providing tools.",
  ],
  [
    "a tool of another API",
    asking("a", { tools: [{ type: "function", function: { name: "a" } }] }),
    "tools.0: Input tag 'function' found using 'type'",
  ],
  [
    "an invalid schema",
    asking("a", { tools: [{ name: "a", input_schema: {} }] }),
    "tools.0.custom.input_schema.type: Field required",
  ],
  [
    "bytes other than an image",
    ofUser({ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }),
    "Could not process image",
  ],
  [
    "an image of another kind",
    ofUser({ type: "image", source: { type: "base64", media_type: "image/gif", data: PIXEL } }),
    "messages.0.content.0.image.source.base64.data: The image was specified using the image/gif",
  ],
  [
    "a small budget",
    asking("a", { thinking: { type: "enabled", budget_tokens: 1000 } }),
    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
  ],
  [
    "a budget beyond the limit",
    asking("a", { max_tokens: 1024, thinking: THINKING }),
    "`max_tokens` must be greater than `thinking.budget_tokens`.",
  ],
  [
    "thinking with another temperature",
    asking("a", { temperature: 0.5, thinking: THINKING }),
    "`temperature` may only be set to 1 when thinking is enabled.",
  ],
  [
    "thinking and a forced tool",
    asking("a", { tools: TOOLS, tool_choice: { type: "any" }, thinking: THINKING }),
    "Thinking may not be enabled when tool_choice forces tool use.",
  ],
  [
    "five cache markers",
    asking("", {
      messages: [
        {
          role: "user",
          content: Array.from({ length: 5 }, () => ({
            type: "text",
            text: "a",
            cache_control: { type: "ephemeral" },
          })),
        },
      ],
    }),
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  ],
]

for (const [name, body, message] of REJECTIONS) {
  test(`the Anthropic simulator rejects a request with ${name}`, async () => {
    expect(await rejectionOf(body)).toStartWith(message)
  })
}

test("the Anthropic simulator rejects sampling parameters in the newer version of the API", async () => {
  const version = { "anthropic-version": "2026-10-21" }
  for (const name of ["temperature", "top_p", "top_k"]) {
    expect(await rejectionOf(asking("a", { [name]: 1 }), version)).toBe(
      `${name}: Extra inputs are not permitted`,
    )
  }
  await using simulator = startSimulator()
  const before = await post(simulator, asking("a", { temperature: 1, top_p: 1, top_k: 1 }))
  expect(before.status).toBe(200)
})

test("the Anthropic simulator requires a key and a version", async () => {
  await using simulator = startSimulator()
  const ask = async (headers: Record<string, string>) => {
    const address = `${simulator.url}/v1/messages`
    const body = JSON.stringify(asking("a"))
    const response = await fetch(address, { method: "POST", headers, body })
    const { error, request_id } = (await response.json()) as {
      error?: { type: string; message: string }
      request_id?: string
    }
    if (error !== undefined) expect(response.headers.get("request-id")).toBe(request_id ?? "")
    return [response.status, error?.message]
  }
  const version = { "anthropic-version": "2023-06-01" }
  expect(await ask(version)).toEqual([401, "x-api-key header is required"])
  expect(await ask({ ...version, "x-api-key": "wrong" })).toEqual([401, "invalid x-api-key"])
  expect(await ask({ ...version, authorization: "Bearer wrong" })).toEqual([
    401,
    "Invalid bearer token",
  ])
  expect(await ask({ ...version, authorization: "Bearer any" })).toEqual([200, undefined])
  expect(await ask({ "x-api-key": "any" })).toEqual([400, "anthropic-version: header is required"])
})

test("the Anthropic simulator rejects other paths and methods under /v1/messages", async () => {
  await using simulator = startSimulator()
  const got = await fetch(`${simulator.url}/v1/messages`)
  expect([got.status, ((await got.json()) as Fields).type]).toEqual([405, "error"])
  const other = await post(simulator, {}, {}, "/v1/messages/batches")
  expect([other.status, ((await other.json()) as Fields).type]).toEqual([404, "error"])
})
