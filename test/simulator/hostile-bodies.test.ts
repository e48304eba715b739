import { afterAll, beforeAll, expect, test } from "bun:test"
import { join } from "node:path"
import { sampleOf } from "../support/exhaustive.ts"

const ENTRY = join(import.meta.dir, "../../simulator/main.ts")

/**
 * Maximum time for one response in milliseconds. It is long, because the machine may be busy, and a request that hangs
 * never ends.
 */
const TIMEOUT_MS = 60_000
/** `npm test` sends every fifth body. There are 12 hostile values, so each of them is used at some places of a body. */
const SAMPLE_STEP = 5
/** Number of concurrent requests. */
const TOGETHER = 16

type Json = unknown

function nested(depth: number): Json {
  let value: Json = "x"
  for (let level = 0; level < depth; level++)
    value = level % 2 === 0 ? [value] : { properties: value }
  return value
}

const RECURSIVE = {
  type: "object",
  properties: Object.fromEntries("abcdefgh".split("").map((name) => [name, { $ref: "#" }])),
  required: "abcdefgh".split(""),
}

/** The replacements for each value of a valid body. */
const HOSTILE: readonly Json[] = [
  "",
  " ",
  null,
  -1,
  1e9,
  [],
  {},
  [""],
  [{}],
  [[]],
  "x".repeat(100_000),
  nested(5_000),
]

/** Schemas that require more values than a model can write. */
const SCHEMAS: readonly Json[] = [
  RECURSIVE,
  { allOf: [{ $ref: "#" }] },
  { anyOf: [{ $ref: "#" }, { $ref: "#" }] },
  { type: "array", minItems: 1e9, items: { type: "string" } },
  { type: "array", minItems: 1e3, items: { type: "array", minItems: 1e3, items: RECURSIVE } },
  { type: "string", minLength: 1e9 },
  { type: "object", properties: { "": { type: "string", minLength: 1e9 } }, required: [""] },
]

const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
const ASKED = "What does get_weather say? /tokens 5"
const CALL = { id: "call_1", type: "function", function: { name: "get_weather", arguments: "{}" } }

interface Endpoint {
  readonly path: string
  readonly body: Record<string, Json>
}

const ENDPOINTS: readonly Endpoint[] = [
  {
    path: "/v1/chat/completions",
    body: {
      model: "echo",
      messages: [
        { role: "system", content: "Be kind" },
        { role: "assistant", tool_calls: [CALL] },
        { role: "tool", tool_call_id: "call_1", content: "sunny" },
        { role: "user", content: [{ type: "text", text: ASKED }] },
      ],
      tools: [
        { type: "function", function: { name: "get_weather", parameters: SCHEMA } },
        { type: "custom", custom: { name: "run_x" } },
      ],
      tool_choice: "auto",
      n: 2,
      stop: ["x"],
      max_tokens: 10,
      reasoning_effort: "low",
      response_format: { type: "json_schema", json_schema: { name: "x", schema: SCHEMA } },
    },
  },
  {
    path: "/v1/messages",
    body: {
      model: "claude",
      max_tokens: 2_000,
      system: [{ type: "text", text: "Be kind" }],
      messages: [{ role: "user", content: [{ type: "text", text: ASKED }] }],
      tools: [
        { name: "get_weather", input_schema: SCHEMA },
        { type: "web_search_20250305", name: "web_search" },
      ],
      tool_choice: { type: "any" },
      stop_sequences: ["x"],
      thinking: { type: "enabled", budget_tokens: 1_024 },
    },
  },
  {
    path: "/v1/responses",
    body: {
      model: "gpt",
      input: [{ role: "user", content: [{ type: "input_text", text: ASKED }] }],
      instructions: "Be kind",
      tools: [
        { type: "function", name: "get_weather", parameters: SCHEMA },
        { type: "custom", name: "run_x" },
        { type: "web_search" },
      ],
      tool_choice: "auto",
      max_output_tokens: 16,
      reasoning: { effort: "low", summary: "auto" },
      text: { format: { type: "json_schema", name: "x", schema: SCHEMA } },
    },
  },
  {
    path: "/v2/chat",
    body: {
      model: "command",
      messages: [{ role: "user", content: [{ type: "text", text: ASKED }] }],
      tools: [{ type: "function", function: { name: "get_weather", parameters: SCHEMA } }],
      documents: [{ id: "1", data: { text: "one" } }],
      stop_sequences: ["x"],
      max_tokens: 10,
      response_format: { type: "json_object", json_schema: SCHEMA },
    },
  },
  {
    path: "/v1beta/models/gemini:generateContent",
    body: {
      contents: [{ role: "user", parts: [{ text: ASKED }] }],
      systemInstruction: { parts: [{ text: "Be kind" }] },
      tools: [{ functionDeclarations: [{ name: "get_weather", parametersJsonSchema: SCHEMA }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["get_weather"] } },
      generationConfig: {
        candidateCount: 2,
        stopSequences: ["x"],
        maxOutputTokens: 10,
        responseMimeType: "application/json",
        responseJsonSchema: SCHEMA,
      },
    },
  },
  {
    path: "/model/claude/converse",
    body: {
      messages: [{ role: "user", content: [{ text: ASKED }] }],
      system: [{ text: "Be kind" }],
      inferenceConfig: { maxTokens: 10, stopSequences: ["x"] },
      toolConfig: {
        tools: [{ toolSpec: { name: "get_weather", inputSchema: { json: SCHEMA } } }],
        toolChoice: { auto: {} },
      },
    },
  },
  { path: "/v1/embeddings", body: { model: "embed", input: ["one", "two"], dimensions: 8 } },
  {
    path: "/v2/embed",
    body: { model: "embed", texts: ["one"], input_type: "search_query", output_dimension: 256 },
  },
  {
    path: "/v1beta/models/embed:batchEmbedContents",
    body: { requests: [{ model: "models/embed", content: { parts: [{ text: "one" }] } }] },
  },
  {
    path: "/v1/rerank",
    body: { model: "rerank", query: "one", documents: ["one", "two"], top_n: 1 },
  },
  {
    path: "/v2/rerank",
    body: { model: "rerank", query: "one", documents: ["one", "two"], top_n: 1 },
  },
  {
    path: "/v1/images/generations",
    body: { model: "gpt-image-1", prompt: "a cat", n: 1, size: "1024x1024", partial_images: 1 },
  },
  { path: "/v1/images", body: { model: "image", prompt: "a cat" } },
  {
    path: "/v1/audio/speech",
    body: { model: "tts", input: "one two", voice: "alloy", speed: 1, response_format: "pcm" },
  },
  { path: "/v1/text-to-speech/voice", body: { model_id: "tts", text: "one two" } },
]

const HEADERS = {
  authorization: "Bearer any",
  "x-api-key": "any",
  "x-goog-api-key": "any",
  "anthropic-version": "2023-06-01",
  "content-type": "application/json",
}

/** Yields copies of the body. In each copy, another value is replaced. */
function* changed(
  value: Json,
  replace: (inner: Json) => Json,
  more: readonly Json[],
): Generator<Json> {
  for (const other of more) yield replace(other)
  if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const put = (inner: Json): Json =>
        replace(Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner })
      yield* changed(member, put, member === SCHEMA ? [...more, ...SCHEMAS] : more)
    }
  }
}

let simulator: Bun.Subprocess<"pipe", "pipe", "inherit">
let url: string

beforeAll(async () => {
  simulator = Bun.spawn([process.execPath, ENTRY], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  const { value } = await simulator.stdout.getReader().read()
  url = (JSON.parse(new TextDecoder().decode(value)) as { url: string }).url
})

// A process that hangs does not react to other signals.
afterAll(() => simulator.kill("SIGKILL"))

async function ask(path: string, body: Json): Promise<void> {
  const text = JSON.stringify(body)
  try {
    const response = await fetch(url + path, {
      method: "POST",
      headers: HEADERS,
      body: text,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.arrayBuffer()
  } catch (error) {
    throw new Error(`no answer to ${path} ${text.slice(0, 2_000)}`, { cause: error })
  }
}

for (const [index, { path, body }] of ENDPOINTS.entries()) {
  for (const stream of [false, true]) {
    test(
      `the simulator responds to malformed bodies at ${path}${stream ? ", streamed" : ""}`,
      async () => {
        const address = stream ? streamedPath(path) : path
        const whole = stream && address === path ? { ...body, stream } : body
        await ask(address, whole)
        let running: Promise<void>[] = []
        const bodies = [...changed(whole, (inner) => inner, HOSTILE)]
        for (const hostile of sampleOf(bodies, SAMPLE_STEP, index + (stream ? 2 : 0))) {
          running.push(ask(address, hostile))
          if (running.length < TOGETHER) continue
          await Promise.all(running)
          running = []
        }
        await Promise.all(running)
        const models = await fetch(`${url}/v1/models`, { headers: HEADERS })
        expect(models.status).toBe(200)
      },
      2 * TIMEOUT_MS,
    )
  }
}

function streamedPath(path: string): string {
  return path
    .replace(":generateContent", ":streamGenerateContent?alt=sse")
    .replace(/\/converse$/, "/converse-stream")
}
