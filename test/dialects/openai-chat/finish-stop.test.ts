import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"

describe("the OpenAI decoder of the matched stop string", () => {
  const request: ChatRequest = {
    model: "a/b",
    messages: [],
    stream: true,
    streamUsage: true,
    choices: 1,
    stop: ["END", "HALT"],
  }
  const TOLD: readonly [name: string, member: JsonObject, sequence: string | undefined][] = [
    ["vLLM's", { stop_reason: "HALT" }, "HALT"],
    ["SGLang's", { matched_stop: "END" }, "END"],
    ["the number of a token", { stop_reason: 128_009 }, undefined],
    ["an unrequested word", { stop_reason: "end_turn" }, undefined],
    ["none", {}, undefined],
  ]
  test.each(TOLD)("reads the string from the server's own field: %s", (_name, member, sequence) => {
    const decoder = OPENAI_CHAT.decodeEvents(request)
    const ended = { index: 0, finish_reason: "stop", ...member }
    const events = decoder.push({ data: JSON.stringify({ choices: [{ ...ended, delta: {} }] }) })
    const message = { role: "assistant", content: "Hi" }
    const whole = OPENAI_CHAT.decodeResult({ choices: [{ ...ended, message }] }, request)
    const told = [
      events.find((event) => event.type === "finish")?.stopSequence,
      whole.choices[0]?.stopSequence,
    ]
    expect(told).toEqual([sequence, sequence])
  })
})
