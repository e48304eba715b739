import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"

interface Sent {
  readonly path: string
  readonly body: JsonObject
}

const CHAT = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
}
const RESPONSE = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "m",
  output: [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Hi", annotations: [] }],
    },
  ],
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
}

let vendor: Bun.Server<undefined>
let gateway: TestGateway
let caller: TestCaller
let sent: Sent[] = []

beforeAll(async () => {
  vendor = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname: path } = new URL(request.url)
      sent.push({ path, body: (await request.json()) as JsonObject })
      return Response.json(path.endsWith("/responses") ? RESPONSE : CHAT)
    },
  })
  const url = `http://127.0.0.1:${vendor.port}/v1`
  gateway = await startGateway({
    providers: {
      openai: provider(url, "openai"),
      groq: provider(url, "groq"),
      moonshot: provider(url, "moonshot"),
    },
    models: {
      "openai/gpt-5.4": simulated({
        deployments: [{ provider: "openai", model: "gpt-5.4", weight: 1 }],
      }),
      "openai/gpt-4.1": simulated({
        deployments: [{ provider: "openai", model: "gpt-4.1", weight: 1 }],
      }),
      "groq/llama": simulated({
        deployments: [{ provider: "groq", model: "llama-3.3-70b-versatile", weight: 1 }],
      }),
      "openai/ruled": simulated({
        deployments: [
          {
            provider: "openai",
            model: "gpt-4.1",
            weight: 1,
            rules: { rejected_parameters: ["seed"], max_tokens_field: "max_completion_tokens" },
          },
        ],
        rules: { rejected_parameters: [], tools: false },
      }),
      "openai/moved": simulated({
        deployments: [{ provider: "openai", model: "gpt-4.1", weight: 1 }],
        rules: { api: "openai-responses" },
      }),
      "openai/kept": simulated({
        deployments: [{ provider: "openai", model: "gpt-5.4", weight: 1 }],
        rules: { tool_api: "any", rejected_parameters: ["stop"] },
      }),
      "moonshot/kimi": simulated({
        deployments: [{ provider: "moonshot", model: "kimi-k2.6", weight: 1 }],
      }),
    },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

const SCHEMA = { type: "object", properties: { path: { type: "string" } } }
const THINKING = { thinking: { type: "adaptive" }, output_config: { effort: "high" } }

/** Sends a request. Returns the call of the vendor, and the losses. */
async function send(path: string, body: object): Promise<Sent & { losses: string | null }> {
  sent = []
  const response = await caller.post(path, body)
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
  const [first] = sent
  if (first === undefined) throw new Error("nothing was sent")
  return { ...first, losses: response.headers.get("x-tollgate-losses") }
}

const hello = [{ role: "user", content: "Hello" }]
const claudeTools = [{ name: "read", input_schema: SCHEMA }]
const chatTools = [{ type: "function", function: { name: "read", parameters: SCHEMA } }]

describe("a model that supports function tools only in Responses", () => {
  test.each([
    ["/v1/messages", { max_tokens: 100, messages: hello, tools: claudeTools, ...THINKING }],
    ["/v1/messages", { max_tokens: 100, messages: hello, tools: claudeTools }],
    ["/v1/chat/completions", { messages: hello, tools: chatTools }],
    ["/v1/chat/completions", { messages: hello, tools: chatTools, reasoning_effort: "high" }],
    [
      "/v1beta/models/openai/gpt-5.4:generateContent",
      {
        contents: [{ role: "user", parts: [{ text: "Hello" }] }],
        tools: [{ functionDeclarations: [{ name: "read", parameters: SCHEMA }] }],
      },
    ],
  ])("receives function tools in Responses from %s", async (path, body) => {
    const { path: called, body: upstream } = await send(path, { model: "openai/gpt-5.4", ...body })
    expect(called).toBe("/v1/responses")
    expect(upstream.tools).toMatchObject([{ type: "function", name: "read" }])
  })

  test("receives chat completions if the request has no tools or no reasoning", async () => {
    const model = "openai/gpt-5.4"
    expect((await send("/v1/chat/completions", { model, messages: hello })).path).toBe(
      "/v1/chat/completions",
    )
    const off = { model, messages: hello, tools: chatTools, reasoning_effort: "none" }
    expect((await send("/v1/chat/completions", off)).path).toBe("/v1/chat/completions")
  })
})

test("a model that does not reason receives no reasoning options", async () => {
  for (const model of ["groq/llama", "openai/gpt-4.1"]) {
    const { body, losses } = await send("/v1/messages", {
      model,
      max_tokens: 4000,
      messages: hello,
      ...THINKING,
    })
    expect(body).not.toHaveProperty("reasoning_effort")
    expect(losses).toContain("reasoning:dropped")
    const off = { model, max_tokens: 100, messages: hello, thinking: { type: "disabled" } }
    const switched = await send("/v1/messages", off)
    expect(switched.body).not.toHaveProperty("reasoning_effort")
    expect(switched.losses ?? "").not.toContain("reasoning")
  }
})

test("a response that the gateway stores reports no loss of `store`", async () => {
  for (const headers of [{}, { "x-tollgate-strict": "true" }]) {
    const body = { model: "groq/llama", input: "Hello", store: true }
    const response = await caller.post("/v1/responses", body, headers)
    expect(response.status).toBe(200)
    expect(response.headers.get("x-tollgate-losses")).toBeNull()
    const { id } = (await response.json()) as { readonly id: string }
    expect((await caller.get(`/v1/responses/${id}`)).status).toBe(200)
  }
})

test("tool calls of another model get empty reasoning if the model requires reasoning", async () => {
  const { body } = await send("/v1/messages", {
    model: "moonshot/kimi",
    max_tokens: 100,
    messages: [
      { role: "user", content: "Read it" },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "text" }] },
    ],
    tools: claudeTools,
    thinking: { type: "disabled" },
  })
  expect(body.messages).toMatchObject([
    {},
    { role: "assistant", reasoning_content: "" },
    { role: "tool" },
  ])
  expect(body.thinking).toEqual({ type: "disabled" })
})

describe("model rules in the settings", () => {
  test("apply to requests in the provider's own format", async () => {
    const { body, losses } = await send("/v1/chat/completions", {
      model: "openai/ruled",
      messages: hello,
      seed: 1,
      temperature: 0.5,
      max_tokens: 7,
      tools: chatTools,
    })
    expect(losses).toBe("seed:dropped, tools:dropped")
    expect(body).toMatchObject({ temperature: 0.5, max_completion_tokens: 7 })
    for (const name of ["seed", "tools", "max_tokens"]) expect(body).not.toHaveProperty(name)
  })

  test("rename the output limit of a request that is otherwise unchanged", async () => {
    const unknown = { x_field: { kept: true } }
    const request = { model: "openai/ruled", messages: hello, max_tokens: 7, ...unknown }
    const { body, losses } = await send("/v1/chat/completions", request)
    expect(losses).toBeNull()
    expect(body).toEqual({
      model: "gpt-4.1",
      messages: hello,
      max_completion_tokens: 7,
      ...unknown,
    })
  })

  test("cause an error if a request requires a call of a tool and the model does not support such calls", async () => {
    const response = await caller.post("/v1/messages", {
      model: "openai/ruled",
      max_tokens: 7,
      messages: hello,
      tools: claudeTools,
      tool_choice: { type: "any" },
    })
    const { error } = (await response.json()) as { error: { message: string } }
    expect([response.status, error.message]).toEqual([
      400,
      expect.stringContaining("does not support tools"),
    ])
  })

  test("can select another API for all requests", async () => {
    for (const path of ["/v1/chat/completions", "/v1/messages"]) {
      const request = { model: "openai/moved", messages: hello, max_tokens: 20 }
      expect((await send(path, request)).path).toBe("/v1/responses")
    }
  })

  test("can remove built-in rules", async () => {
    const { path, body } = await send("/v1/messages", {
      model: "openai/kept",
      max_tokens: 20,
      messages: hello,
      tools: claudeTools,
      temperature: 0.5,
      ...THINKING,
    })
    expect([path, body.temperature]).toEqual(["/v1/chat/completions", 0.5])
  })
})
