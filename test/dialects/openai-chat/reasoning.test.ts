import { describe, expect, test } from "bun:test"
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream"
import type { ChatEvent } from "../../../src/canon/chat.ts"
import type { DialectId } from "../../../src/canon/extra.ts"
import type { Part } from "../../../src/canon/message.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/canon/json.ts"
import { OPENAI_CHAT, openAiChat } from "../../../src/dialects/openai-chat/index.ts"
import { ASKED, KEEPING } from "./examples.ts"

const CHOICE = { choice: 0 } as const

function think(text: string): ChatEvent {
  return { type: "reasoning-delta", ...CHOICE, text }
}

function sign(signature: string, more: { isRedacted?: true; id?: string } = {}): ChatEvent {
  return { type: "reasoning-signature", ...CHOICE, signature, signedBy: "openai-chat", ...more }
}

function say(text: string): ChatEvent {
  return { type: "text-delta", ...CHOICE, text }
}

function call(call: number): ChatEvent[] {
  const id = `call_${call}`
  return [
    { type: "tool-call-start", ...CHOICE, call, id, name: "f" },
    { type: "tool-call-delta", ...CHOICE, call, arguments: "{}" },
  ]
}

/** Responses of vendors as events, by name. */
const RESPONSES: readonly (readonly [string, readonly ChatEvent[]])[] = [
  ["Claude with thinking", [think("o"), think("ne"), sign("1"), say("a"), ...call(0)]],
  [
    "Claude with thinking between texts",
    [think("one"), sign("1"), say("a"), think("two"), sign("2"), ...call(0), ...call(1)],
  ],
  [
    "Claude with withheld thinking",
    [sign("1", { isRedacted: true }), think("two"), sign("2"), sign("3", { isRedacted: true })],
  ],
  ["Gemini with a signature on the first call", [say("a"), sign("1"), ...call(0), ...call(1)]],
  [
    "Gemini with a signature on a later call",
    [think("one"), say("a"), ...call(0), sign("1"), ...call(1)],
  ],
  ["Gemini with a signature at the end", [think("one"), say("a"), sign("1")]],
  [
    "GPT with reasoning ids",
    [think("one"), sign("1", { id: "rs_1" }), sign("2", { id: "rs_2" }), ...call(0)],
  ],
  ["a model that replaces its signature", [think("one"), sign("1"), sign("2"), say("a")]],
  ["DeepSeek", [think("one"), say("a")]],
]

function encodeStream(events: readonly ChatEvent[]): SseFrame[] {
  const encoder = OPENAI_CHAT.encodeEvents({ ...ASKED, stream: true })
  const finish: ChatEvent = { type: "finish", ...CHOICE, reason: "stop" }
  return [...events, finish].flatMap((event) => encoder.push(event))
}

function chunksOf(frames: readonly SseFrame[]): JsonObject[] {
  return frames.map(({ data }) => JSON.parse(data))
}

/** Returns the parts that the gateway decodes after the caller has sent the message back unchanged. */
function partsOf(message: unknown): readonly Part[] | undefined {
  const body = { model: "m", messages: [JSON.parse(JSON.stringify(message))] }
  return OPENAI_CHAT.decodeRequest(body).messages[0]?.parts
}

/** Joins deltas as openai-python does. Lists are joined by the `index` of their entries. */
function joined(old: JsonObject, delta: JsonObject): JsonObject {
  const whole = { ...old }
  for (const [key, value] of Object.entries(delta)) {
    whole[key] = key === "index" || key === "type" ? value : joinedValue(whole[key], value)
  }
  return whole
}

function joinedValue(old: JsonValue | undefined, value: JsonValue | undefined) {
  if (old === undefined || old === null) return value
  if (typeof old === "string" && typeof value === "string") return old + value
  if (isJsonObject(old) && isJsonObject(value)) return joined(old, value)
  if (!Array.isArray(old) || !Array.isArray(value)) return old
  const list = [...old]
  for (const entry of value as JsonObject[]) {
    if (typeof entry.index !== "number") throw new Error("a list entry without an index")
    const known = list[entry.index]
    list[entry.index] = isJsonObject(known) ? joined(known, entry) : entry
  }
  return list
}

function readByPython(frames: readonly SseFrame[]): JsonObject {
  return chunksOf(frames)
    .map((chunk) => (chunk.choices as { delta: JsonObject }[])[0]!.delta)
    .reduce(joined, {})
}

async function readByNode(frames: readonly SseFrame[]): Promise<unknown> {
  const lines = frames.map(({ data }) => `${data}\n`)
  const body = new Blob(lines).stream() as unknown as ReadableStream
  const completion = await ChatCompletionStream.fromReadableStream(body).finalChatCompletion()
  return completion.choices[0]?.message
}

/** Returns the signed parts. A message has its text in one place, after the unsigned reasoning. */
function signedParts(parts: readonly Part[] | undefined): Part[] {
  return (parts ?? []).filter((part) => part.type !== "reasoning" || part.signature !== undefined)
}

describe("reasoning", () => {
  describe.each(RESPONSES)("of %s that the caller sends back", (_, events) => {
    const folded = foldEvents(events).choices[0]!
    const whole = OPENAI_CHAT.encodeResult({ choices: [folded] }, ASKED)

    test("remains unchanged in a complete response", () => {
      const [choice] = whole.choices as { message: JsonObject }[]
      expect(partsOf(choice?.message)).toEqual(folded.parts)
    })

    test("remains unchanged in a stream that openai-python reads", () => {
      const message = readByPython(encodeStream(events))
      expect(message).toMatchObject({ role: "assistant" })
      const parts = signedParts(partsOf(message))
      expect(parts.filter(isCurrent(folded.parts))).toEqual(signedParts(folded.parts))
    })

    test("remains unchanged in a stream that openai-node reads", async () => {
      const message = await readByNode(encodeStream(events))
      expect(signedParts(partsOf(message))).toEqual(signedParts(folded.parts))
    })

    test("remains unchanged in a stream that the gateway decodes", () => {
      const decoder = OPENAI_CHAT.decodeEvents()
      const decoded = encodeStream(events).flatMap((frame) => decoder.push(frame))
      expect(foldEvents(decoded).choices[0]?.parts).toEqual(folded.parts)
    })
  })
})

/** Returns a filter for current signatures. openai-python also keeps a signature that was replaced later. */
function isCurrent(parts: readonly Part[]): (part: Part) => boolean {
  const current = new Set(parts.map((part) => part.type === "reasoning" && part.signature))
  return (part) => part.type !== "reasoning" || current.has(part.signature ?? false)
}

describe("signed reasoning that the caller sends back", () => {
  const keeping = openAiChat(KEEPING)

  function encode(signedBy: DialectId, text: string, isRedacted?: true) {
    const part = { type: "reasoning", text, signature: "s", signedBy, id: "r" } as const
    const parts: Part[] = [isRedacted ? { ...part, isRedacted } : part]
    const { body, losses } = keeping.encodeRequest({
      ...ASKED,
      messages: [{ role: "assistant", parts }],
    })
    return { message: (body.messages as JsonObject[])[0], losses }
  }

  test("reaches vendors of the signature's dialect with its signature", () => {
    expect(encode("openai-chat", "hm")).toEqual({
      message: {
        role: "assistant",
        content: "",
        reasoning_content: "hm",
        reasoning_details: [
          { type: "reasoning.text", text: "hm", signature: "s", id: "r", index: 0 },
        ],
      },
      losses: [],
    })
    expect(encode("openai-chat", "", true).message).toMatchObject({
      reasoning_details: [{ type: "reasoning.encrypted", data: "s", id: "r", index: 0 }],
    })
  })

  test("reaches vendors of another dialect as text without the signature", () => {
    const losses = [{ name: "reasoning.signature", effect: "dropped" }]
    expect(encode("anthropic-messages", "hm")).toEqual({
      message: { role: "assistant", content: "", reasoning_content: "hm" },
      losses,
    } as never)
    expect(encode("gemini", "", true)).toEqual({
      message: { role: "assistant", content: "" },
      losses,
    } as never)
  })
})
