import { describe, expect, test } from "bun:test"
import type { ChatEvent } from "../../../src/canon/chat.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"
import { errorEvent } from "../../../src/dialects/shared/errors.ts"
import { REQUEST, START, FINISH, encode, eventsOf, text } from "./encoded-events.ts"

describe("the Anthropic stop reason encoder", () => {
  const word = (event: Omit<Extract<ChatEvent, { type: "finish" }>, "type" | "choice">) => {
    const told = eventsOf(encode([START, { type: "finish", choice: 0, ...event }]))
    const { delta } = told.at(-2) as { delta: JsonObject }
    return [delta.stop_reason, delta.stop_sequence]
  }

  test("maps every finish reason to an Anthropic stop reason", () => {
    expect(word({ reason: "stop" })).toEqual(["end_turn", null])
    expect(word({ reason: "length" })).toEqual(["max_tokens", null])
    expect(word({ reason: "tool-calls" })).toEqual(["tool_use", null])
    expect(word({ reason: "content-filter" })).toEqual(["refusal", null])
    expect(word({ reason: "other" })).toEqual(["end_turn", null])
    expect(word({ reason: "other", rawReason: "tired" })).toEqual(["end_turn", null])
    expect(word({ reason: "stop", stopSequence: "END" })).toEqual(["stop_sequence", "END"])
    expect(word({ reason: "stop", rawReason: "stop_sequence" })).toEqual(["stop_sequence", null])
    expect(word({ reason: "stop", rawReason: "pause_turn" })).toEqual(["pause_turn", null])
    expect(word({ reason: "length", rawReason: "model_context_window_exceeded" })).toEqual([
      "model_context_window_exceeded",
      null,
    ])
    // The vendor's word equals one of the gateway's terms but means something else, so it is not interpreted.
    expect(word({ reason: "tool-calls", rawReason: "end_turn" })).toEqual(["tool_use", null])
  })

  test("sets the stop reason refusal after refused text", () => {
    const told = eventsOf(
      encode([START, { type: "refusal-delta", choice: 0, text: "No." }, FINISH]),
    )
    expect(told[3]).toMatchObject({ delta: { type: "text_delta", text: "No." } })
    expect(told.at(-2)).toMatchObject({ delta: { stop_reason: "refusal" } })
  })
})

describe("the Anthropic encoder of a broken stream", () => {
  test("ends the stream with the vendor's error", () => {
    const told = (code?: string) => {
      const error = errorEvent({ message: "broke", ...(code ? { code } : {}) })
      return eventsOf(encode([START, text("a"), error])).at(-1)
    }
    expect(told("overloaded_error")).toEqual({
      type: "error",
      error: { type: "overloaded_error", message: "broke", error_type: "upstream_error" },
    })
    expect(told("server_error")).toMatchObject({ error: { type: "api_error" } })
    expect(told()).toMatchObject({ type: "error", error: { message: "broke" } })
  })

  test("ends the stream with the gateway's error if the vendor sent no error", () => {
    const encoder = ANTHROPIC_MESSAGES.encodeEvents(REQUEST)
    const error = new GatewayError("upstream_timeout", "late")
    const [frame, ...more] = encoder.fail(error, "request-1")
    expect(more).toEqual([])
    expect(frame?.event).toBe("error")
    expect(JSON.parse(frame?.data ?? "")).toEqual({
      type: "error",
      error: { type: "timeout_error", message: "late", error_type: "upstream_timeout" },
      request_id: "request-1",
    })
  })
})
