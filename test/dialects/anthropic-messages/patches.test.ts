import { describe, expect, test } from "bun:test"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import {
  ANTHROPIC_MESSAGES,
  anthropicMessages,
} from "../../../src/dialects/anthropic-messages/index.ts"

const { patches } = ANTHROPIC_MESSAGES

function frame(json: JsonObject, event: string | undefined = String(json.type)): SseFrame {
  // Anthropic pads its JSON with spaces.
  const data = `${JSON.stringify(json).slice(0, -1)}   }`
  return event === undefined ? { data, json } : { event, data, json }
}

function patcher() {
  return patches.frames({ model: "a/b", streamUsage: true })
}

const START = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 1, cache_read_input_tokens: 2 },
  },
}

describe("the patcher of Anthropic requests", () => {
  test("changes only the model name", () => {
    const body = { model: "a/b", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] }
    const patched = patches.request(body, { model: "claude" })
    expect(patched).toEqual({ body: { ...body, model: "claude" }, losses: [] })
    expect(patched.body.messages).toBe(body.messages)
    expect(body.model).toBe("a/b")
  })

  test("treats null like a missing field", () => {
    const body = { model: "a/b", max_tokens: 10, system: null, stream: null, top_p: null }
    const patched = patches.request(body, { model: "claude" })
    expect(patched).toEqual({ body: { model: "claude", max_tokens: 10 }, losses: [] })
    expect(body.system).toBeNull()
  })

  test("sets an output limit that the credits cover, and lowers the thinking budget below it", () => {
    const thinking = { type: "enabled", budget_tokens: 5000, display: "omitted" }
    const body = { model: "a/b", max_tokens: 10_000, thinking }
    const clamp = (maxTokens: number) => patches.request(body, { model: "claude", maxTokens })
    expect(clamp(6000)).toEqual({
      body: { model: "claude", max_tokens: 6000, thinking },
      losses: [],
    })
    const lower = { name: "reasoning_budget", effect: "approximated" } as const
    expect(clamp(2000)).toEqual({
      body: { model: "claude", max_tokens: 2000, thinking: { ...thinking, budget_tokens: 1600 } },
      losses: [lower],
    })
    expect(clamp(500)).toEqual({ body: { model: "claude", max_tokens: 500 }, losses: [lower] })
    expect(body.thinking.budget_tokens).toBe(5000)
  })

  test("joins leading instructions into the system prompt and keeps later instructions in place", () => {
    const told = { role: "system", content: "A" }
    const once = { role: "system", content: "B", clear_at: "next_user_message" }
    const user = { role: "user", content: "Hi" }
    const body = { model: "a/b", system: "S", messages: [told, once, user, told] }
    expect(patches.request(body, { model: "claude" }).body).toEqual({
      model: "claude",
      system: [
        { type: "text", text: "S" },
        { type: "text", text: "A" },
      ],
      messages: [user, told],
    })
  })

  test("drops the thinking budget after a tool result, even if instructions follow", () => {
    const call = { type: "tool_use", id: "a", name: "f", input: {} }
    const result = { type: "tool_result", tool_use_id: "a" }
    const messages = [
      { role: "assistant", content: [call] },
      { role: "user", content: [result] },
      { role: "system", content: "A" },
    ]
    const thinking = { type: "enabled", budget_tokens: 2000 }
    const body = { model: "a/b", max_tokens: 5000, thinking, messages }
    expect(patches.request(body, { model: "claude" }).body).not.toHaveProperty("thinking")
  })

  test("drops top_p if the vendor rejects top_p together with temperature", () => {
    const body = { model: "a/b", temperature: 0.5, top_p: 0.9 }
    expect(patches.request(body, { model: "claude" })).toEqual({
      body: { model: "claude", temperature: 0.5 },
      losses: [{ name: "top_p", effect: "dropped" }],
    })
    const lenient = anthropicMessages({ temperatureWithTopP: true })
    expect(lenient.patches.request(body, { model: "claude" }).losses).toEqual([])
    expect(patches.request({ top_p: 0.9 }, { model: "claude" }).body.top_p).toBe(0.9)
  })
})

test("the patcher of a complete Anthropic response replaces the model name with the public name", () => {
  const told = { type: "message", role: "assistant", stop_reason: "pause", stop_sequence: null }
  const body: JsonObject = { id: "msg_1", model: "claude", content: [], anything: 1, ...told }
  patches.result(body, { model: "a/b", streamUsage: false })
  expect(body).toEqual({ id: "msg_1", model: "a/b", content: [], anything: 1, ...told })
})

describe("the patcher of an Anthropic stream", () => {
  test("sets the model in the start event and forwards other events unchanged", () => {
    const frames = patcher()
    const start = frame(START)
    expect(JSON.parse(frames.push(start).data)).toEqual({
      ...START,
      message: { ...START.message, model: "a/b" },
    })
    expect(start.json).toEqual(START)
    const delta = frame({ type: "content_block_delta", index: 0, delta: {} })
    expect(frames.push(delta)).toEqual({
      action: "forward",
      event: "content_block_delta",
      data: delta.data,
    })
    const ping = frame({ type: "ping" })
    expect(frames.push(ping)).toEqual({
      action: "forward",
      event: "ping",
      data: ping.data,
      isAside: true,
    })
  })

  test("marks the event with usage, so that the cost can be added", () => {
    const frames = patcher()
    const delta = { stop_reason: "max_tokens" }
    const json = { type: "message_delta", delta, usage: { output_tokens: 5 } }
    const patched = frames.push(frame(json))
    expect(patched).toMatchObject({ action: "forward", event: "message_delta" })
    const carrier = patched.usageCarrier ?? {}
    ANTHROPIC_MESSAGES.setCost(carrier, "0.5")
    expect(carrier).toEqual({ ...json, usage: { output_tokens: 5, cost: 0.5 } })
    expect(json.usage).toEqual({ output_tokens: 5 })
    expect(frames.push(frame({ type: "message_stop" }))).toMatchObject({
      action: "last",
      event: "message_stop",
    })
  })

  test("adds a missing event line to a frame", () => {
    const frames = patcher()
    const stop = { type: "content_block_stop", index: 0 }
    const unnamed = { data: JSON.stringify(stop), json: stop }
    expect(frames.push(unnamed).event).toBe("content_block_stop")
    const error = { error: { message: "x" } }
    expect(frames.push({ data: JSON.stringify(error), json: error })).toMatchObject({
      action: "forward",
      event: "error",
    })
  })

  test("drops a second start event and invalid JSON", () => {
    const frames = patcher()
    expect(frames.push(frame(START)).action).toBe("forward")
    expect(frames.push(frame(START)).action).toBe("withhold")
    expect(frames.push({ data: "[DONE]" }).action).toBe("withhold")
    expect(frames.push({ event: "error", data: "gone" }).action).toBe("forward")
  })

  test("drops unknown events and forwards errors", () => {
    const frames = patcher()
    expect(frames.push(frame({ choices: [{}] })).action).toBe("withhold")
    expect(frames.push(frame({})).action).toBe("withhold")
    expect(frames.push(frame({ error: { message: "gone" } }, "error"))).toMatchObject({
      action: "forward",
      event: "error",
    })
  })

  test("adds a last event or an error if the vendor omits the last event or disconnects", () => {
    expect(patcher().end()).toEqual([{ event: "message_stop", data: '{"type":"message_stop"}' }])
    const [broken] = patcher().fail(new GatewayError("upstream_error", "broke"), "request-1")
    expect(broken).toMatchObject({
      event: "error",
      json: { type: "error", error: { type: "api_error" }, request_id: "request-1" },
    })
  })
})
