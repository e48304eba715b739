import { describe, expect, test } from "bun:test"
import { gemini } from "../../../src/dialects/gemini/index.ts"
import { at, CURRENT_MODEL, EARLIER_MODEL, encode, encodeWhole } from "./support.ts"

describe("the Gemini settings encoder", () => {
  test("uses Gemini's field names", () => {
    const body = encodeWhole({
      temperature: 1.5,
      topP: 0.9,
      topK: 40,
      maxTokens: 100,
      stop: ["x"],
      seed: 7,
      choices: 3,
      presencePenalty: 0.5,
      frequencyPenalty: -0.5,
    })
    expect(body.generationConfig).toEqual({
      temperature: 1.5,
      topP: 0.9,
      topK: 40,
      candidateCount: 3,
      maxOutputTokens: 100,
      stopSequences: ["x"],
      presencePenalty: 0.5,
      frequencyPenalty: -0.5,
      seed: 7,
    })
  })

  test("maps a seed beyond 32 bits to a smaller seed", () => {
    const { body, losses } = encode({
      stop: ["1", "2"],
      seed: 2 ** 31 + 5,
    })
    expect(losses).toEqual(["seed:approximated"])
    expect(body.generationConfig).toEqual({
      stopSequences: ["1", "2"],
      seed: 5,
    })
    expect(encodeWhole({ stop: [], seed: -(2 ** 31) }).generationConfig).toEqual({
      seed: -(2 ** 31),
    })
  })

  test("declares n as approximated on a platform that returns one candidate per call", () => {
    const dialect = gemini({ maxCandidates: 1 })
    expect(dialect.supports.n).toBe("approximated")
    expect(dialect.responseLimits("gemini").choices).toBe(1)
  })

  test("omits the model and the stream option from the body", () => {
    const body = encodeWhole({ stream: true, streamUsage: true })
    expect(Object.keys(body)).toEqual(["contents"])
  })

  test.each([
    ["auto", undefined],
    ["default", "standard"],
    ["standard_only", "standard"],
    ["flex", "flex"],
    ["priority", "priority"],
  ])("encodes the service tier %s", (serviceTier, expected) => {
    expect(encodeWhole({ serviceTier }).serviceTier).toBe(expected)
  })

  test("drops a service tier that Gemini does not support, and every service tier for Vertex", () => {
    expect(encode({ serviceTier: "scale" }).losses).toEqual(["service_tier:dropped"])
    const vertex = gemini({ serviceTier: false })
    expect(vertex.supports.service_tier).toBe("dropped")
    expect(encode({ serviceTier: "flex" }, vertex).losses).toEqual(["service_tier:dropped"])
    expect(encodeWhole({ serviceTier: "auto" }, vertex).serviceTier).toBeUndefined()
    expect(encodeWhole({ serviceTier: "default" }, vertex).serviceTier).toBeUndefined()
  })

  test("sends metadata with values that are valid as labels", () => {
    const metadata = { team: "research", Team: "x", note: "Two words" }
    expect(encode({ metadata })).toMatchObject({
      body: { labels: { team: "research" } },
      losses: ["metadata:approximated"],
    })
    expect(encode({ metadata: { note: "Two words" } }).losses).toEqual(["metadata:dropped"])
    expect(encodeWhole({ metadata: {} }).labels).toBeUndefined()
    expect(encode({ metadata }, gemini({ labels: false })).losses).toEqual(["metadata:dropped"])
  })

  test("reports the names of other dialects' fields as lost", () => {
    const { losses } = encode({
      extra: { dialect: "openai-chat", fields: { logit_bias: {} } },
      previousResponse: "resp_1",
      tools: [
        { name: "f", extra: { dialect: "anthropic-messages", fields: { input_examples: [] } } },
      ],
    })
    expect(losses).toEqual([
      "input_examples:dropped",
      "previous_response_id:dropped",
      "logit_bias:dropped",
    ])
  })
})

describe("the Gemini response format encoder", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } }
  const format = { type: "json-schema", name: "n", schema } as const

  test("requests JSON, with or without a schema", () => {
    expect(encodeWhole({ responseFormat: { type: "json-object" } }).generationConfig).toEqual({
      responseMimeType: "application/json",
    })
    expect(encodeWhole({ responseFormat: format }).generationConfig).toEqual({
      responseMimeType: "application/json",
      responseJsonSchema: schema,
    })
    expect(encodeWhole({ responseFormat: { type: "text" } }).generationConfig).toBeUndefined()
  })

  test("sends an instruction instead of a format to an earlier model if the request has functions", () => {
    const tools = [{ name: "f" }]
    const { body, losses } = encode({ responseFormat: format, tools, model: EARLIER_MODEL })
    expect(losses).toEqual(["json_schema:approximated"])
    expect(body.generationConfig).toBeUndefined()
    expect(at(body, "systemInstruction", "parts", 0, "text")).toContain(JSON.stringify(schema))
    const object = encode({ responseFormat: { type: "json-object" }, tools, model: EARLIER_MODEL })
    expect(object.losses).toEqual(["json_object:approximated"])
    const current = encodeWhole({ responseFormat: format, tools, model: CURRENT_MODEL })
    expect(at(current, "generationConfig", "responseJsonSchema")).toEqual(schema)
  })
})
