import { describe, expect, test } from "bun:test"
import type { FramePatcher, SseFrame } from "../../../src/canon/dialect.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"
import { jsonOf, readByClient } from "./support.ts"

const { patches } = OPENAI_RESPONSES
const PATCH = { model: "vendor/model", streamUsage: true }

const RESPONSE = {
  id: "resp_1",
  object: "response",
  created_at: 1_700_000_000,
  model: "gpt-5",
  status: "in_progress",
  output: [],
}

function frameOf(json: JsonObject): SseFrame {
  return { event: String(json.type), data: JSON.stringify(json), json }
}

const CREATED = frameOf({ type: "response.created", response: RESPONSE, sequence_number: 0 })

function push(frame: SseFrame, patcher: FramePatcher = patches.frames(PATCH)) {
  return patcher.push(frame)
}

describe("the patcher of Responses requests", () => {
  test("changes only the model name, and does not modify the caller's object", () => {
    const body = { model: "vendor/gpt-5", input: "Hi", previous_response_id: "resp_1", novelty: 1 }
    expect(patches.request(body, { model: "gpt-5" })).toEqual({
      body: { ...body, model: "gpt-5" },
      losses: [],
    })
    expect(body.model).toBe("vendor/gpt-5")
  })

  test("lowers the output limit to the length that the credits cover", () => {
    const body = { model: "m", input: "Hi", max_output_tokens: 1000 }
    expect(patches.request(body, { model: "m", maxTokens: 10 }).body.max_output_tokens).toBe(10)
  })
})

test("the patcher of a Responses response writes the public model name, and removes the operator's cost", () => {
  const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 }
  const body: JsonObject = {
    ...RESPONSE,
    usage: { ...usage, cost: 0.1, cost_details: {}, cost_in_usd_ticks: 7 },
  }
  patches.result(body, PATCH)
  expect(body).toEqual({ ...RESPONSE, model: "vendor/model", usage })
})

describe("the patcher of Responses stream frames", () => {
  test("writes the public model name to a copy of the response event", () => {
    const patched = push(CREATED)
    expect(patched.action).toBe("forward")
    expect(patched.event).toBe("response.created")
    expect(JSON.parse(patched.data)).toEqual({
      ...CREATED.json,
      response: { ...RESPONSE, model: "vendor/model" },
    })
    expect(CREATED.json?.response).toEqual(RESPONSE)
  })

  test("forwards a delta unchanged and adds the event name", () => {
    const json = { type: "response.output_text.delta", delta: "Hi", sequence_number: 4 }
    const { event: _, ...nameless } = frameOf(json)
    expect(push(nameless)).toEqual({
      action: "forward",
      event: "response.output_text.delta",
      data: JSON.stringify(json),
    })
  })

  test.each(["completed", "incomplete", "failed"])("recognizes the last frame: %s", (status) => {
    const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3, cost: 0.5 }
    const response = { ...RESPONSE, status, usage }
    const { action, usageCarrier, data } = push(
      frameOf({ type: `response.${status}`, response, sequence_number: 9 }),
    )
    expect(action).toBe("last")
    expect(usageCarrier).toEqual(JSON.parse(data))
    OPENAI_RESPONSES.setCost(usageCarrier ?? {}, "0.25")
    expect(usageCarrier).toMatchObject({
      response: { model: "vendor/model", usage: { total_tokens: 3, cost: 0.25 } },
      sequence_number: 9,
    })
  })

  test("ends a truncated response as response.completed with the status incomplete", () => {
    const details = { incomplete_details: { reason: "max_output_tokens" } }
    for (const status of ["incomplete", undefined]) {
      const { status: _, ...told } = RESPONSE
      const response = {
        ...told,
        ...details,
        ...(status && { status }),
        usage: { input_tokens: 1 },
      }
      const json = { type: "response.incomplete", response, sequence_number: 9 }
      const { event, data } = push(frameOf(json))
      expect(event).toBe("response.completed")
      expect(JSON.parse(data)).toMatchObject({
        type: "response.completed",
        response: { status: "incomplete", ...details },
        sequence_number: 9,
      })
      expect(json.type).toBe("response.incomplete")
    }
  })

  test("marks no frame for the cost if the response has no usage", () => {
    const frame = frameOf({ type: "response.failed", response: { ...RESPONSE, usage: null } })
    expect(push(frame)).not.toHaveProperty("usageCarrier")
  })

  test.each<[string, SseFrame]>([
    ["[DONE]", { data: "[DONE]" }],
    ["a ping", frameOf({ type: "ping" })],
    ["invalid JSON", { data: "hello" }],
    ["no type", { data: "{}", json: {} }],
  ])("withholds a frame of another dialect: %s", (_, frame) => {
    expect(push(frame).action).toBe("withhold")
  })

  test.each<[string, JsonObject]>([
    ["an error", { type: "error", message: "No.", sequence_number: 3 }],
    ["a keep-alive with a number", { type: "keepalive", sequence_number: 3 }],
    ["an unknown event", { type: "response.novelty", sequence_number: 3 }],
  ])("forwards a frame of the same dialect: %s", (_, json) => {
    expect(push(frameOf(json))).toEqual({
      action: "forward",
      event: String(json.type),
      data: JSON.stringify(json),
    })
  })
})

describe("the patcher of a broken Responses stream", () => {
  const error = new GatewayError("upstream_error", "The provider broke off the stream.")

  test("continues the sequence numbers and ends with response.failed", () => {
    const patcher = patches.frames(PATCH)
    patcher.push(CREATED)
    patcher.push(frameOf({ type: "response.output_text.delta", delta: "Hi", sequence_number: 7 }))
    expect(jsonOf(patcher.fail(error, "request_1"))).toEqual([
      {
        type: "error",
        code: "upstream_error",
        message: "The provider broke off the stream.",
        param: null,
        error_type: "upstream_error",
        request_id: "request_1",
        sequence_number: 8,
      },
      {
        type: "response.failed",
        response: {
          ...RESPONSE,
          model: "vendor/model",
          status: "failed",
          error: { code: "server_error", message: "The provider broke off the stream." },
        },
        sequence_number: 9,
      },
    ])
    expect(patcher.end()).toEqual([])
  })

  test("adds a start event if the stream breaks before its start", async () => {
    const frames = patches.frames(PATCH).fail(error, "request_1")
    expect(jsonOf(frames).at(-1)).toMatchObject({
      type: "response.failed",
      response: { model: "vendor/model" },
    })
    await expect(readByClient(frames)).rejects.toThrow("broke off")
  })
})
