import { expect, test } from "bun:test"
import type { ChatRequest, Choice } from "../../src/canon/chat.ts"
import { jsonBytesInSlices, LARGE_BODY } from "../../src/canon/sliced-json-text.ts"
import { GEMINI } from "../../src/dialects/gemini/index.ts"
import { OPENAI_CHAT } from "../../src/dialects/openai-chat/index.ts"
import { TurnCounter } from "../support/turn-counter.ts"

const CHOICES = 8
const TEXT = "word ".repeat(LARGE_BODY / 5)
const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: false,
  streamUsage: false,
  choices: CHOICES,
}

test.each([OPENAI_CHAT, GEMINI].map((client) => [client.id, client] as const))(
  "the %s encoder writes each long choice in a separate event-loop turn",
  async (_, client) => {
    using turns = new TurnCounter()
    const turnsOfReads = new Set<number>()
    const choices = Array.from({ length: CHOICES }, (_each, index): Choice => ({
      index,
      finish: "stop",
      get parts() {
        turnsOfReads.add(turns.count)
        return [{ type: "text" as const, text: TEXT }]
      },
    }))
    const bytes = await jsonBytesInSlices(client.encodeResult({ choices }, REQUEST))
    expect(turnsOfReads.size).toBe(CHOICES)
    expect(Buffer.from(bytes).toString().split(TEXT)).toHaveLength(CHOICES + 1)
  },
)
