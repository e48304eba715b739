import { expect, test } from "bun:test"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { HAS_FIXTURES, recorded, WITHOUT_FIXTURES } from "./recorded-keys.ts"
import { asking, eventsOf, post, rejectionOf, TOOLS, type Fields } from "./responses-support.ts"

const USER = { role: "user", content: "go" }
const CALL = { type: "function_call", call_id: "call_1", name: "get_time", arguments: "{}" }
const OUTPUT = { type: "function_call_output", call_id: "call_1", output: "noon" }
const THOUGHT = { type: "reasoning", summary: [], encrypted_content: "gAAAAABub25l" }

function part(fields: Fields) {
  return asking([{ role: "user", content: [fields] }])
}

const REJECTIONS: [string, unknown, Fields][] = [
  [
    "an unknown parameter",
    asking("a", { stop: "b" }),
    { code: "unknown_parameter", param: "stop", message: "Unknown parameter: 'stop'." },
  ],
  [
    "an output limit below the minimum",
    asking("a", { max_output_tokens: 5 }),
    { code: "integer_below_min_value", param: "max_output_tokens" },
  ],
  [
    "a negative temperature",
    asking("a", { temperature: -1 }),
    { code: "decimal_below_min_value", param: "temperature" },
  ],
  ["no input", { model: "gpt" }, { code: "missing_required_parameter", param: "input" }],
  ["no model", { input: "a" }, { code: "missing_required_parameter", param: "model" }],
  [
    "a chat tool",
    asking("a", { tools: [{ type: "function", function: { name: "a" } }] }),
    { message: "Missing required parameter: 'tools[0].name'.", param: "tools[0].name" },
  ],
  [
    "a chat tool choice",
    asking("a", { tools: TOOLS, tool_choice: { type: "function", function: { name: "a" } } }),
    { param: "tool_choice.name" },
  ],
  [
    "a choice of an unknown tool",
    asking("a", { tools: TOOLS, tool_choice: { type: "function", name: "a" } }),
    { message: "Tool choice 'function' not found in 'tools' parameter." },
  ],
  [
    "a chat part",
    part({ type: "text", text: "a" }),
    { code: "invalid_value", param: "input[0].content[0]" },
  ],
  [
    "an output part of a user",
    part({ type: "output_text", text: "a" }),
    { code: "invalid_value", param: "input[0].content[0]" },
  ],
  [
    "an input part of the assistant",
    asking([USER, { role: "assistant", content: [{ type: "input_text", text: "a" }] }]),
    {
      message: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
      param: "input[1].content[0]",
    },
  ],
  [
    "an image in the chat format",
    part({ type: "input_image", image_url: { url: "https://example.com/a.png" } }),
    { code: "invalid_type", param: "input[0].content[0].image_url" },
  ],
  [
    "bytes other than an image",
    part({ type: "input_image", image_url: "data:image/png;base64,AAAA" }),
    { code: "invalid_image_format" },
  ],
  [
    "a file that is not a data URL",
    part({ type: "input_file", filename: "a.pdf", file_data: "JVBERg==" }),
    { param: "input[0].content[0].file_data" },
  ],
  [
    "an unknown role",
    asking([{ role: "tool", content: "a" }]),
    { code: "invalid_value", param: "input[0].role" },
  ],
  [
    "an unknown field of an item",
    asking([{ ...USER, tool_calls: [] }]),
    { code: "unknown_parameter", param: "input[0].tool_calls" },
  ],
  [
    "a call without arguments",
    asking([USER, { ...CALL, arguments: undefined }, OUTPUT]),
    { code: "missing_required_parameter", param: "input[1].arguments" },
  ],
  [
    "an invalid item id",
    asking([USER, { ...CALL, id: "call_1" }, OUTPUT]),
    {
      message: "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'.",
      code: "invalid_value",
    },
  ],
  [
    "a long call id",
    asking([USER, { ...CALL, call_id: "c".repeat(65) }]),
    { code: "string_above_max_length", param: "input[1].call_id" },
  ],
  [
    "a call without output",
    asking([USER, CALL]),
    { message: "No tool output found for function call call_1.", param: "input" },
  ],
  [
    "an output without a call",
    asking([USER, OUTPUT]),
    {
      message: "No tool call found for function call output with call_id call_1.",
      param: "input",
    },
  ],
  [
    "reasoning of another vendor",
    asking([USER, THOUGHT, CALL, OUTPUT]),
    {
      message:
        "The encrypted content gAAA...b25l could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
      code: "invalid_encrypted_content",
    },
  ],
  [
    "unstored reasoning",
    asking([USER, { type: "reasoning", id: "rs_1", summary: [] }, CALL, OUTPUT]),
    { status: 404, param: "input" },
  ],
  [
    "an unknown item",
    asking([{ type: "tool_result" }]),
    { code: "invalid_value", param: "input[0]" },
  ],
  [
    "an unknown previous response",
    asking("a", { previous_response_id: "resp_1" }),
    {
      message: "Previous response with id 'resp_1' not found.",
      code: "previous_response_not_found",
    },
  ],
  [
    "an unknown effort",
    asking("a", { reasoning: { effort: "most" } }),
    { code: "invalid_value", param: "reasoning.effort" },
  ],
  [
    "a schema without a name",
    asking("a", { text: { format: { type: "json_schema", schema: {} } } }),
    { param: "text.format.name" },
  ],
  [
    "stream options without a stream",
    asking("a", { stream_options: { include_obfuscation: false } }),
    { param: "stream_options" },
  ],
]

for (const [name, body, error] of REJECTIONS) {
  test(`the Responses simulator rejects a request with ${name}`, async () => {
    const rejected = await rejectionOf(body)
    expect(rejected).toMatchObject({ status: 400, type: "invalid_request_error", ...error })
  })
}

/** Returns the items of a response that reasons and calls a tool. */
async function answered(simulator: Simulator, more: Fields = {}): Promise<Fields[]> {
  const include = ["reasoning.encrypted_content"]
  const body = asking([{ role: "user", content: "get_time" }], {
    tools: TOOLS,
    store: false,
    reasoning: { effort: "low" },
    include,
    ...more,
  })
  const { output } = (await (await post(simulator, body)).json()) as { output: Fields[] }
  return output
}

test("the Responses simulator requires that reasoning and the item after it are sent together", async () => {
  await using simulator = startSimulator()
  const [thought, call] = await answered(simulator)
  const output = { ...OUTPUT, call_id: call?.call_id }
  const reject = (items: unknown[]) =>
    rejectionOf(asking([USER, ...items], { store: false }), simulator)
  expect(await reject([thought, USER])).toMatchObject({
    message: `Item '${String(thought?.id)}' of type 'reasoning' was provided without its required following item.`,
    param: "input",
    code: null,
  })
  expect(await reject([call, output])).toMatchObject({
    message: `Item '${String(call?.id)}' of type 'function_call' was provided without its required 'reasoning' item: '${String(thought?.id)}'.`,
  })
  expect(await reject([thought, call, output, thought])).toMatchObject({
    message: `Duplicate item found with id ${String(thought?.id)}. Remove duplicate items from your input and try again.`,
  })
  const changed = { ...thought, encrypted_content: `${String(thought?.encrypted_content)}A` }
  expect(await reject([changed, call, output])).toMatchObject({ code: "invalid_encrypted_content" })
  const items = [USER, thought, call, output]
  expect((await post(simulator, asking(items, { store: false }))).status).toBe(200)
  const { id: _, ...unnamedThought } = thought ?? {}
  const { id: __, ...unnamedCall } = call ?? {}
  const unnamed = [USER, unnamedThought, unnamedCall, output]
  expect((await post(simulator, asking(unnamed, { store: false }))).status).toBe(200)
})

test("the Responses simulator encrypts reasoning on request, and the content is complete when the item ends", async () => {
  await using simulator = startSimulator()
  const [plain] = await answered(simulator, { include: [] })
  expect(plain).not.toHaveProperty("encrypted_content")
  const body = asking("why", {
    stream: true,
    reasoning: { effort: "low" },
    include: ["reasoning.encrypted_content"],
  })
  const events = eventsOf(await (await post(simulator, body)).text())
  const [added, done] = events
    .filter((event) => (event.item as Fields | undefined)?.type === "reasoning")
    .map((event) => event.item as Fields)
  const { response } = events.at(-1) as { response: { output: Fields[] } }
  const sends = (item: Fields | undefined) => {
    const reply = { role: "assistant", content: "why" }
    const { id: _, ...unnamed } = item ?? {}
    return post(simulator, asking([USER, unnamed, reply, USER]))
  }
  expect((await sends(added)).status).toBe(400)
  expect([(await sends(done)).status, (await sends(response.output[0])).status]).toEqual([200, 200])
  expect(done?.encrypted_content).not.toBe(response.output[0]?.encrypted_content)
})

const RECORDED: [string, unknown][] = [
  ["test-openai-responses-model-http-error--0", asking("a", { temperature: -1 })],
  ["test-responses-create-api-error-content-mode0--0", asking("a", { model: "unknown" })],
]

for (const [name, body] of RECORDED) {
  test.skipIf(!HAS_FIXTURES)(
    `the Responses simulator rejects a request with the error of ${name}${WITHOUT_FIXTURES}`,
    async () => {
      const { response } = recorded(`openai-responses/${name}`)
      const theirs = JSON.stringify(response.body.json).replace(
        "this-model-does-not-exist",
        "unknown",
      )
      const { status, ...error } = await rejectionOf(body)
      expect(status).toBe(response.status)
      expect({ error }).toEqual(JSON.parse(theirs))
    },
  )
}

test.skipIf(!HAS_FIXTURES)(
  `the Responses simulator rejects an invalid key with the recorded error${WITHOUT_FIXTURES}`,
  async () => {
    await using simulator = startSimulator()
    const answer = await post(simulator, asking("a"), { authorization: "Bearer wrong" })
    const { response } = recorded("openai-responses/error-handles-invalid-api-keys-gracefully--0")
    expect(answer.status).toBe(response.status)
    const theirs = JSON.stringify(response.body.json).replace("invalid-key", "wrong")
    expect(await answer.json()).toEqual(JSON.parse(theirs))
  },
)
