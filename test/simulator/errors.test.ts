import { expect, test } from "bun:test"
import { echoBody, post, withSimulator } from "./support.ts"

interface ErrorBody {
  error: { message: string; type: string; param: string | null; code: string | null }
}

async function rejection(body: unknown, headers: Record<string, string> = {}) {
  await using simulator = withSimulator()
  const response = await post(simulator, body, headers)
  const { error } = (await response.json()) as ErrorBody
  expect(Object.keys(error)).toEqual(["message", "type", "param", "code"])
  return { status: response.status, ...error }
}

test("the simulator requires a credential", async () => {
  for (const authorization of ["", "Bearer ", "Basic abc"]) {
    const error = await rejection(echoBody("hi"), { authorization })
    expect(error).toMatchObject({ status: 401, type: "invalid_request_error", code: null })
  }
})

test("the simulator treats sk-rejected as an invalid key, and sk-empty as a key without quota", async () => {
  const rejected = await rejection(echoBody("hi"), { authorization: "Bearer sk-rejected" })
  expect(rejected).toMatchObject({ status: 401, code: "invalid_api_key" })
  const empty = await rejection(echoBody("hi"), { authorization: "Bearer sk-empty" })
  expect(empty).toMatchObject({
    status: 429,
    type: "insufficient_quota",
    code: "insufficient_quota",
  })
})

test("the simulator returns a not-found error for an unknown model", async () => {
  const error = await rejection({ ...echoBody("hi"), model: "gpt-nothing" })
  expect(error).toEqual({
    status: 404,
    message: "The model `gpt-nothing` does not exist or you do not have access to it.",
    type: "invalid_request_error",
    param: null,
    code: "model_not_found",
  })
})

const REJECTED: [string, object, string | null, string | null][] = [
  [
    "max_tokens together with max_completion_tokens",
    { max_tokens: 1, max_completion_tokens: 1 },
    "max_tokens",
    "invalid_parameter_combination",
  ],
  ["stream_options without stream", { stream_options: {} }, "stream_options", null],
  ["no messages", { messages: undefined }, "messages", "missing_required_parameter"],
  ["empty messages", { messages: [] }, "messages", "empty_array"],
  ["max_tokens 0", { max_tokens: 0 }, "max_tokens", "integer_below_min_value"],
  ["temperature 3", { temperature: 3 }, "temperature", "decimal_above_max_value"],
  ["n 129", { n: 129 }, "n", "integer_above_max_value"],
  ["n as text", { n: "two" }, "n", "invalid_type"],
  ["five stop sequences", { stop: ["a", "b", "c", "d", "e"] }, "stop", "array_above_max_length"],
  ["an unknown parameter", { gateway_only: 1 }, "gateway_only", "unknown_parameter"],
  ["parallel_tool_calls without tools", { parallel_tool_calls: true }, "parallel_tool_calls", null],
  ["top_logprobs without logprobs", { top_logprobs: 2 }, "top_logprobs", null],
  [
    "an unknown content part",
    { messages: [{ role: "user", content: [{ type: "video" }] }] },
    "messages[0].content[0].type",
    "invalid_value",
  ],
  [
    "a tool message without its call",
    { messages: [{ role: "tool", content: "x", tool_call_id: "c" }] },
    "messages.[0].role",
    null,
  ],
]

for (const [name, change, param, code] of REJECTED) {
  test(`the simulator rejects a request with ${name}`, async () => {
    const error = await rejection({ ...echoBody("hi"), ...change })
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", param, code })
  })
}

test("the simulator rejects a tool call without a result", async () => {
  const call = { id: "call_9", type: "function", function: { name: "f", arguments: "{}" } }
  const messages = [
    { role: "user", content: "hi" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "user", content: "and?" },
  ]
  const error = await rejection({ ...echoBody("hi"), messages })
  expect(error.status).toBe(400)
  expect(error.message).toContain("call_9")
})

test("the simulator rejects invalid JSON, and a body without a model", async () => {
  expect(await rejection('{"model":')).toMatchObject({ status: 400, param: null, code: null })
  const error = await rejection({ messages: [] })
  expect(error.message).toBe("you must provide a model parameter")
})

test("the simulator rejects an unknown fault", async () => {
  const error = await rejection(echoBody("hi"), { "x-simulate-fault": "catastrophe" })
  expect(error.code).toBe("unknown_fault")
})

test("the simulator returns OpenAI's errors for unknown paths and methods", async () => {
  await using simulator = withSimulator()
  const unknown = await fetch(`${simulator.url}/v1/nothing?x=1`)
  expect(unknown.status).toBe(404)
  expect(((await unknown.json()) as ErrorBody).error.message).toBe(
    "Invalid URL (GET /v1/nothing?x=1)",
  )
  const wrong = await fetch(`${simulator.url}/v1/chat/completions`)
  expect(wrong.status).toBe(405)
  await wrong.text()
})
