import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../src/canon/chat.ts"
import type { SseFrame, UpstreamDialect } from "../../src/canon/dialect.ts"
import { foldEvents } from "../../src/canon/fold.ts"
import type { DialectId } from "../../src/canon/extra.ts"
import { type JsonObject, parseJsonObject } from "../../src/canon/json.ts"
import { formatEvent } from "../../src/wire/sse.ts"
import { CLIENTS, MODELS, UPSTREAMS } from "../golden/dialects.ts"

/** Integers with more digits than a double has, and with the signs and limits of 64 bits. */
const IDS = ["1234567890123456789", "-9223372036854775808", "18446744073709551615"] as const
const INPUT = `{"id":${IDS[0]},"deep":[{"least":${IDS[1]}},${IDS[2]}],"small":7,"half":0.5}`
const TEXT = JSON.stringify(INPUT)
const LIST = `[${IDS.join()}]`

const REQUEST: ChatRequest = {
  model: "m",
  messages: [{ role: "user", parts: [{ type: "text", text: "Delete it" }] }],
  tools: [{ name: "remove", parameters: { type: "object" } }],
  stream: false,
  streamUsage: true,
  choices: 1,
}

/** Answers with a call whose arguments are `INPUT`, in each format. */
const RESPONSES: Readonly<Record<DialectId, string>> = {
  "openai-chat": `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"remove","arguments":${TEXT}}}]},"finish_reason":"tool_calls"}]}`,
  "openai-responses": `{"id":"resp_1","status":"completed","output":[{"type":"function_call","id":"fc_1","call_id":"c1","name":"remove","arguments":${TEXT},"status":"completed"}]}`,
  "anthropic-messages": `{"id":"msg_1","content":[{"type":"tool_use","id":"c1","name":"remove","input":${INPUT}}],"stop_reason":"tool_use"}`,
  gemini: `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"remove","args":${INPUT}}}],"role":"model"},"finishReason":"STOP"}]}`,
  "bedrock-converse": `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"remove","input":${INPUT}}}]}},"stopReason":"tool_use"}`,
  "cohere-chat": `{"id":"a","message":{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"remove","arguments":${TEXT}}}]},"finish_reason":"TOOL_CALL"}`,
}

/**
 * The same call as a stream in each format. The arguments are an object if the format allows this in streams.
 */
const STREAMS: Readonly<Record<DialectId, readonly string[]>> = {
  "openai-chat": [
    `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"remove","arguments":${INPUT}}}]},"finish_reason":"tool_calls"}]}`,
  ],
  "openai-responses": [`{"type":"response.completed","response":${RESPONSES["openai-responses"]}}`],
  "anthropic-messages": [
    '{"type":"message_start","message":{"id":"msg_1"}}',
    `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"remove","input":${INPUT}}}`,
    '{"type":"content_block_stop","index":0}',
    '{"type":"message_delta","delta":{"stop_reason":"tool_use"}}',
    '{"type":"message_stop"}',
  ],
  gemini: [RESPONSES.gemini],
  "bedrock-converse": [
    '{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"c1","name":"remove"}}}',
    `{"contentBlockIndex":0,"delta":{"toolUse":{"input":${INPUT}}}}`,
    '{"contentBlockIndex":0}',
    '{"stopReason":"tool_use"}',
  ],
  "cohere-chat": [
    '{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"c1","type":"function","function":{"name":"remove","arguments":""}}}}}',
    `{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":${TEXT}}}}}}`,
    '{"type":"tool-call-end","index":0}',
    '{"type":"message-end","delta":{"finish_reason":"TOOL_CALL"}}',
  ],
}

const BEDROCK_EVENTS = [
  "contentBlockStart",
  "contentBlockDelta",
  "contentBlockStop",
  "messageStop",
] as const

function parsed(text: string): JsonObject {
  const json = parseJsonObject(text)
  if (json === undefined) throw new Error(`not JSON: ${text}`)
  return json
}

function framesOf({ id }: UpstreamDialect): SseFrame[] {
  return STREAMS[id].map((data, index) => {
    const json = parsed(data)
    const event = id === "bedrock-converse" ? BEDROCK_EVENTS[index] : json["type"]
    return { data, json, ...(typeof event === "string" && { event }) }
  })
}

/** Asserts that a text contains the digits, as a number or within a string. */
function expectDigits(text: string): void {
  for (const id of IDS) expect(text).toContain(id)
  for (const rounded of ["1234567890123456800", "9223372036854776000", "18446744073709552000"]) {
    expect(text).not.toContain(rounded)
  }
}

describe.each([...UPSTREAMS])("a tool call with long integers from $id", (upstream) => {
  test.each([...CLIENTS])("keeps all digits in the format $id", (client) => {
    const result = upstream.decodeResult(parsed(RESPONSES[upstream.id]), REQUEST)
    expectDigits(JSON.stringify(client.encodeResult(result, REQUEST)))
  })

  test.each([...CLIENTS])("keeps all digits in the format $id when streamed", (client) => {
    const asked = { ...REQUEST, stream: true }
    const decoder = upstream.decodeEvents(asked)
    const events = [...framesOf(upstream).flatMap((each) => decoder.push(each)), ...decoder.end()]
    const encoder = client.encodeEvents(asked)
    const frames = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
    const text = frames.map(formatEvent).join("")
    expectDigits(text)
    expectDigits(JSON.stringify(foldEvents(events)))
  })
})

/** Requests whose history, schema and tool result contain the integers, in each caller's format. */
const REQUESTS: Readonly<Record<string, string>> = {
  "openai-chat": `{"model":"m","seed":${IDS[0]},"messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"remove","arguments":${TEXT}}}]},{"role":"tool","tool_call_id":"c1","content":${TEXT}}],"tools":[{"type":"function","function":{"name":"remove","parameters":{"type":"object","properties":{"id":{"enum":${LIST}}}}}}]}`,
  "openai-responses": `{"model":"m","input":[{"role":"user","content":"x"},{"type":"function_call","call_id":"c1","name":"remove","arguments":${TEXT}},{"type":"function_call_output","call_id":"c1","output":${TEXT}}],"tools":[{"type":"function","name":"remove","parameters":{"type":"object","properties":{"id":{"enum":${LIST}}}}}]}`,
  "anthropic-messages": `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"remove","input":${INPUT}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":${TEXT}}]}],"tools":[{"name":"remove","input_schema":{"type":"object","properties":{"id":{"enum":${LIST}}}}}]}`,
  gemini: `{"model":"m","generationConfig":{"seed":${IDS[0]}},"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"name":"remove","args":${INPUT}}}]},{"role":"user","parts":[{"functionResponse":{"name":"remove","response":${INPUT}}}]}],"tools":[{"functionDeclarations":[{"name":"remove","parametersJsonSchema":{"type":"object","properties":{"id":{"enum":${LIST}}}}}]}]}`,
}

describe.each([...CLIENTS])("a request with long integers in $id", (client) => {
  test.each([...UPSTREAMS])("keeps all digits in the format $id", (upstream) => {
    const request = client.decodeRequest(parsed(REQUESTS[client.id] ?? ""))
    const { body, losses } = upstream.encodeRequest({ ...request, model: MODELS[upstream.id] })
    const text = JSON.stringify(body)
    expectDigits(text)
    // The digits occur in the call, the result and the schema.
    expect(text.split(IDS[2]).length - 1).toBe(3)
    const lost = losses.some(({ name }) => name === "seed")
    if (request.seed !== undefined && !lost) expect(text).toContain(`"seed":${IDS[0]}`)
  })
})
