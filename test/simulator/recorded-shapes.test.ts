import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { framesOf, post, withSimulator } from "./support.ts"

const FOLDER = join(import.meta.dir, "../../../shared/fixtures/recorded/openai-chat")
const present = existsSync(FOLDER)
const SKIPPED = present ? "" : " (skipped: recordings are absent)"

interface Recording {
  request: { body: { json: object } }
  response: {
    status: number
    headers: Record<string, string>
    body: { json?: unknown; text?: string }
  }
}

function recording(name: string): Recording {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")) as Recording
}

/** Returns the dotted paths of all keys. Entries of arrays are merged. */
function keysOf(value: unknown, prefix = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => keysOf(entry, `${prefix}[]`))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    `${prefix}.${key}`,
    ...keysOf(inner, `${prefix}.${key}`),
  ])
}

function keySet(value: unknown): string[] {
  return [...new Set(keysOf(value))].toSorted()
}

const TOOL = {
  type: "function",
  function: {
    name: "work",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
}

function request(text: string, more: object = {}) {
  return { model: "echo", messages: [{ role: "user", content: text }], ...more }
}

const WHOLE: [string, object][] = [
  ["test-agent-with-tools--1", request("plain")],
  ["test-agent-with-tools--0", request("work", { tools: [TOOL] })],
  ["gpt-3-5-turbo-multiple-tool-calls-full-conversation--0", request("work", { tools: [TOOL] })],
  ["test-chat-completion-handle-stop-sequences-as-string--0", request("a b", { stop: "b" })],
  ["test-tool-message-with-tool-call-id--0", request("plain")],
  ["test-openai-native-output--0", request("work", { tools: [TOOL] })],
]

for (const [name, body] of WHOLE) {
  test.skipIf(!present)(
    `a simulated response without streaming has the same keys as ${name}${SKIPPED}`,
    async () => {
      await using simulator = withSimulator()
      const response = await (await post(simulator, body)).json()
      expect(keySet(response)).toEqual(keySet(recording(name).response.body.json))
    },
  )
}

const USAGE = { stream: true, stream_options: { include_usage: true } }

const STREAMED: [string, object][] = [
  ["test-agent-run-streaming--0", request("plain text", USAGE)],
  ["test-agent-arun-streaming-with-tools--0", request("work", { ...USAGE, tools: [TOOL] })],
  ["test-agent-arun-streaming-with-tools--1", request("plain text", USAGE)],
  ["test-run-stream-sync-streams-real-model--0", request("work", { ...USAGE, tools: [TOOL] })],
  ["test-agents-with-events-with-content--9", request("plain text", { stream: true })],
]

for (const [name, body] of STREAMED) {
  test.skipIf(!present)(
    `a simulated stream has the same keys as ${name} in each kind of frame${SKIPPED}`,
    async () => {
      await using simulator = withSimulator()
      const response = await (await post(simulator, body)).text()
      const recorded = recording(name).response.body.text!
      const [ours, theirs] = [framesOf(response), framesOf(recorded)]
      expect(keySet(ours)).toEqual(keySet(theirs))
      // Returns the first frame, a middle frame, the frame with the finish reason, and the last frame.
      const kinds = (frames: Record<string, unknown>[]) =>
        [
          frames[0],
          frames[1],
          frames.find((frame) => /finish_reason":"/.test(JSON.stringify(frame))),
          frames.at(-1),
        ].map(keySet)
      expect(kinds(ours)).toEqual(kinds(theirs))
      expect(response.endsWith("data: [DONE]\n\n")).toBe(
        recorded.trimEnd().endsWith("data: [DONE]"),
      )
    },
  )
}

test.skipIf(!present)(
  `the simulator streams parallel calls in the same way as a recording${SKIPPED}`,
  async () => {
    await using simulator = withSimulator()
    const second = { type: "function", function: { ...TOOL.function, name: "rest" } }
    const body = request("work rest", { ...USAGE, tools: [TOOL, second] })
    const ours = callShapes(await (await post(simulator, body)).text())
    const name = "test-async-chat-completion-multiple-tools-streaming-no-content--0"
    const theirs = callShapes(recording(name).response.body.text!)
    expect([...new Set(ours)]).toEqual([...new Set(theirs)])
  },
)

/** Returns the form of each tool call delta, in order. */
function callShapes(text: string): string[] {
  return framesOf(text)
    .flatMap((frame) => frame.choices as { delta: { tool_calls?: object[] } }[])
    .flatMap((choice) => choice.delta.tool_calls ?? [])
    .map((delta) => JSON.stringify(keysOf(delta)))
}

test.skipIf(!present)(
  `the simulator rejects an unknown model with the recorded error${SKIPPED}`,
  async () => {
    await using simulator = withSimulator()
    const recorded = recording("test-async-chat-completion-404--0")
    const response = await post(simulator, recorded.request.body.json)
    expect(response.status).toBe(recorded.response.status)
    expect(await response.json()).toEqual(recorded.response.body.json as object)
  },
)

test.skipIf(!present)(
  `the simulator sends all OpenAI headers in the recordings${SKIPPED}`,
  async () => {
    await using simulator = withSimulator()
    const response = await post(simulator, request("hi"))
    await response.text()
    const recorded = Object.keys(recording("test-simple-lcel--0").response.headers)
    for (const name of recorded.filter((name) => /^(openai-|x-)/.test(name))) {
      // Only old deployments send this header.
      if (name === "openai-model") continue
      expect(response.headers.get(name), name).not.toBeNull()
    }
  },
)
