import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import OpenAI from "openai"
import { zodResponseFormat } from "openai/helpers/zod"
import { z } from "zod"
import { simulated, startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"
import { until } from "../support/until.ts"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  gateway = await startGateway({
    models: {
      "sim/fault-500": simulated(),
      "sim/fault-429": simulated(),
      "sim/fault-401": simulated(),
      "sim/fault-400-context": simulated(),
      "sim/fault-stream-error": simulated(),
      "sim/fault-cut": simulated(),
      "sim/unpriced": { kind: "chat" },
      "sim/vectors": { kind: "embedding", price: { input: "1" } },
    },
  })
  caller = await gateway.caller("100")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

const MESSAGES = [{ role: "user", content: "Hello there, gateway" }] as const

describe("OpenAI's client for chat", () => {
  test("gets a response, a price and a receipt", async () => {
    const before = await caller.balance()
    const { data, response } = await caller.client.chat.completions
      .create({ model: "sim/echo", messages: [...MESSAGES] })
      .withResponse()
    expect(data.choices[0]?.message.content).toBe("Hello there, gateway")
    expect(data.model).toBe("sim/echo")
    expect(data.id).toStartWith("chatcmpl-")
    const usage = data.usage
    if (!usage) throw new Error("no usage")
    const cost = BigInt(usage.prompt_tokens) * 1_000n + BigInt(usage.completion_tokens) * 2_000n
    expect(before - (await caller.balance())).toBe(cost)
    expect(response.headers.get("x-tollgate-cost")).toBe(
      `0.${String(cost).padStart(9, "0").replace(/0+$/, "")}`,
    )
    expect(response.headers.get("x-tollgate-provider")).toBe("sim")
    const receipt = (await (
      await caller.get(`/v1/receipts/${response.headers.get("x-request-id")}`)
    ).json()) as Record<string, unknown>
    expect(receipt["status"]).toBe("settled")
    expect(receipt["charged"]).toBe(response.headers.get("x-tollgate-cost"))
    expect(receipt["usage"]).toEqual({
      input: usage.prompt_tokens,
      output: usage.completion_tokens,
    })
  })

  test("gets a stream that ends with the requested usage and its cost", async () => {
    const stream = await caller.client.chat.completions.create({
      model: "sim/echo",
      messages: [...MESSAGES],
      stream: true,
      stream_options: { include_usage: true },
    })
    let text = ""
    let usage: (OpenAI.CompletionUsage & { cost?: number }) | undefined
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ""
      expect(chunk.model).toBe("sim/echo")
      if (chunk.usage) usage = chunk.usage
    }
    expect(text).toBe("Hello there, gateway")
    expect(usage?.total_tokens).toBeGreaterThan(0)
    expect(Number(usage?.cost)).toBeGreaterThan(0)
  })

  test("gets no usage unless it requests usage, and is still charged", async () => {
    const before = await caller.balance()
    const stream = await caller.client.chat.completions.create({
      model: "sim/echo",
      messages: [...MESSAGES],
      stream: true,
    })
    for await (const chunk of stream) {
      expect(chunk).not.toHaveProperty("usage")
      expect(chunk.choices.length).toBeGreaterThan(0)
    }
    expect(await caller.balance()).toBeLessThan(before)
    expect(gateway.simulator.requests.at(-1)?.body).toMatchObject({
      stream_options: { include_usage: true },
    })
  })

  test("collects parallel tool calls from a stream, and sends a second turn", async () => {
    const tools = ["weather", "clock"].map((name) => ({
      type: "function" as const,
      function: {
        name,
        parameters: {
          type: "object",
          properties: { city: { type: "string" } },
          required: ["city"],
        },
      },
    }))
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: "user", content: "Use weather and clock" },
    ]
    const runner = caller.client.chat.completions.stream({ model: "sim/echo", messages, tools })
    const first = await runner.finalChatCompletion()
    const calls = first.choices[0]?.message.tool_calls ?? []
    expect(calls.map((call) => (call.type === "function" ? call.function.name : ""))).toEqual([
      "weather",
      "clock",
    ])
    const reply = first.choices[0]?.message
    if (!reply) throw new Error("no message")
    const second = await caller.client.chat.completions.create({
      model: "sim/echo",
      tools,
      messages: [
        ...messages,
        reply,
        ...calls.map((call) => ({
          role: "tool" as const,
          tool_call_id: call.id,
          content: `result of ${call.id}`,
        })),
      ],
    })
    for (const call of calls) expect(second.choices[0]?.message.content).toContain(call.id)
  })

  test("parses structured output", async () => {
    const schema = z.object({ name: z.string(), count: z.number() })
    const completion = await caller.client.chat.completions.parse({
      model: "sim/echo",
      messages: [...MESSAGES],
      response_format: zodResponseFormat(schema, "thing"),
    })
    expect(schema.safeParse(completion.choices[0]?.message.parsed).success).toBe(true)
  })

  test("gets n choices and pays for each choice", async () => {
    const completion = await caller.client.chat.completions.create({
      model: "sim/echo",
      messages: [...MESSAGES],
      n: 3,
    })
    expect(completion.choices.map((choice) => choice.index)).toEqual([0, 1, 2])
    const runner = caller.client.chat.completions.stream({
      model: "sim/echo",
      messages: [...MESSAGES],
      n: 3,
    })
    const streamed = await runner.finalChatCompletion()
    expect(streamed.choices.map((choice) => choice.message.content)).toEqual(
      completion.choices.map((choice) => choice.message.content),
    )
  })

  test("aborts a stream, which cancels the upstream call and charges the delivered part", async () => {
    const before = await caller.balance()
    const stream = await caller.client.chat.completions.create(
      {
        model: "sim/echo",
        messages: [{ role: "user", content: "/tokens 900" }],
        stream: true,
      },
      { headers: {} },
    )
    let seen = 0
    for await (const _ of stream) if (++seen === 3) break
    stream.controller.abort()
    await gateway.simulator.requests.at(-1)?.settled()
    await until(async () => (await caller.balance()) < before)
  })

  test("aborts before the response begins, free of charge", async () => {
    const other = await gateway.caller("1")
    const controller = new AbortController()
    const running = other.client.chat.completions.create(
      { model: "sim/fault-slow-headers", messages: [...MESSAGES] },
      { signal: controller.signal },
    )
    running.catch(() => {})
    controller.abort()
    await expect(Promise.resolve(running)).rejects.toBeInstanceOf(OpenAI.APIUserAbortError)
    expect(await other.balance()).toBe(1_000_000_000n)
  })

  test("lists and retrieves models", async () => {
    const ids = (await caller.client.models.list()).data.map((model) => model.id)
    expect(ids).toContain("sim/echo")
    expect(ids).toContain("sim/unpriced")
    const model = await caller.client.models.retrieve("sim/echo")
    expect(model.object).toBe("model")
  })
})

describe("OpenAI's client on errors", () => {
  const create = (model: string, client: OpenAI = caller.client) =>
    client.chat.completions.create({ model, messages: [...MESSAGES] })

  test("throws AuthenticationError for a wrong key", async () => {
    const client = new OpenAI({ apiKey: "sk-wrong", baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    await expect(Promise.resolve(create("sim/echo", client))).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    )
  })

  const CASES = [
    ["sim/ecko", OpenAI.NotFoundError, "model_not_found"],
    ["ecko", OpenAI.NotFoundError, "model_not_found"],
    ["sim/unpriced", OpenAI.APIError, "model_not_priced"],
    ["sim/vectors", OpenAI.BadRequestError, "model_not_supported"],
    ["sim/fault-500", OpenAI.InternalServerError, "upstream_error"],
    ["sim/fault-429", OpenAI.InternalServerError, "upstream_overloaded"],
    ["sim/fault-401", OpenAI.InternalServerError, "upstream_error"],
    ["sim/fault-400-context", OpenAI.BadRequestError, "context_length_exceeded"],
  ] as const

  for (const [model, type, code] of CASES) {
    test(`throws the error for ${code}: ${model}`, async () => {
      const before = await caller.balance()
      const error = await create(model).then(
        () => undefined,
        (thrown: unknown) => thrown as InstanceType<typeof OpenAI.APIError>,
      )
      expect(error).toBeInstanceOf(type)
      expect(error?.code).toBe(code)
      expect(error?.requestID).toStartWith("req_")
      expect(await caller.balance()).toBe(before)
    })
  }

  test("throws an error for a stream that breaks", async () => {
    for (const model of ["sim/fault-stream-error", "sim/fault-cut"]) {
      const read = async () => {
        const stream = await caller.client.chat.completions.create({
          model,
          messages: [{ role: "user", content: "one two three four five six seven" }],
          stream: true,
        })
        for await (const _ of stream) {
          // Only the end of the stream matters.
        }
      }
      await expect(read()).rejects.toBeInstanceOf(OpenAI.APIError)
    }
  })
})
