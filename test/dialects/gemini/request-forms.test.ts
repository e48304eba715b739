import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { threadTime } from "../../support/processor-time.ts"
import { GEMINI } from "../../../src/dialects/gemini/index.ts"
import { decodeCountRequest, withAddress } from "../../../src/dialects/gemini/request/decode.ts"

/**
 * Decodes a body in one of the other forms that Google accepts: those of the JSON mapping of protocol buffers, and
 * those in Google's examples.
 */
function addressed(body: JsonObject): JsonObject {
  return withAddress(body, { model: "any/model", stream: false })
}

function decode(body: JsonObject) {
  return GEMINI.decodeRequest(addressed({ contents: "Hello", ...body }))
}

describe("the Gemini decoder of alternative forms", () => {
  test("reads numbers from strings", () => {
    const generationConfig = {
      maxOutputTokens: "50",
      temperature: "0.5",
      topP: "1e-1",
      topK: "40",
      candidateCount: "2",
      seed: "-7",
      thinkingConfig: { thinkingBudget: "1024" },
    }
    const usual = {
      maxOutputTokens: 50,
      temperature: 0.5,
      topP: 0.1,
      topK: 40,
      candidateCount: 2,
      seed: -7,
      thinkingConfig: { thinkingBudget: 1024 },
    }
    expect(decode({ generationConfig })).toEqual(decode({ generationConfig: usual }))
    expect(addressed({ generationConfig })).toMatchObject({ generationConfig: usual })
  })

  test.each(["", "many", "0x10", "1 000", "Infinity"])(
    "does not read '%s' as a number",
    (maxOutputTokens) => {
      expect(() => decode({ generationConfig: { maxOutputTokens } })).toThrow(/maxOutputTokens/)
    },
  )

  test.each(["ANY", "any", 2])("reads the call mode %p", (mode) => {
    const tools = [{ functionDeclarations: [{ name: "find" }] }]
    const request = decode({ tools, toolConfig: { functionCallingConfig: { mode } } })
    expect(request.toolChoice).toEqual({ type: "required" })
  })

  test.each<[JsonObject | undefined, JsonObject]>([
    [{ mode: "AUTO" }, { toolChoice: { type: "auto" } }],
    [{ mode: "NONE" }, { toolChoice: { type: "none" } }],
    [{ mode: "VALIDATED" }, { toolChoice: { type: "auto" } }],
    [
      { mode: "ANY", allowedFunctionNames: ["find"] },
      { toolChoice: { type: "tool", name: "find" } },
    ],
    [{ mode: "ANY", allowedFunctionNames: ["find", "look"] }, { toolChoice: { type: "required" } }],
    [{ mode: "MODE_UNSPECIFIED" }, {}],
    [{}, {}],
    [undefined, {}],
  ])("reads the function choice %j", (config, expected) => {
    const tools = [{ functionDeclarations: [{ name: "find" }, { name: "look" }] }]
    const { toolChoice } = decode({
      tools,
      ...(config && { toolConfig: { functionCallingConfig: config } }),
    })
    expect({ ...(toolChoice && { toolChoice }) }).toEqual(expected)
  })

  test("reads uppercase types of a JSON schema, but not similar words", () => {
    const schema = (object: string, string: string) => ({
      type: object,
      properties: { type: { type: string, enum: ["OBJECT"] }, any: { anyOf: [{ type: string }] } },
      items: { type: [string] },
      additionalProperties: false,
      required: ["type"],
    })
    const generationConfig = {
      responseMimeType: "application/json",
      responseJsonSchema: { ...schema("OBJECT", "STRING"), items: { type: "ARRAY" } },
    }
    const declared = { name: "f", parametersJsonSchema: schema("OBJECT", "STRING") }
    const request = decode({ generationConfig, tools: [{ functionDeclarations: [declared] }] })
    const small = { ...schema("object", "string"), items: { type: "array" } }
    expect(request.responseFormat).toMatchObject({ schema: small })
    expect(request.tools?.[0]?.parameters).toMatchObject({
      properties: schema("object", "string").properties,
    })
  })

  test("accepts a single value in place of a list", () => {
    const request = decode({
      tools: { functionDeclarations: { name: "find" } },
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: "find" } },
      generationConfig: { stopSequences: "END" },
    })
    expect(request).toMatchObject({
      tools: [{ name: "find" }],
      toolChoice: { type: "tool", name: "find" },
      stop: ["END"],
    })
  })

  test("accepts numbers as schema types", () => {
    const parameters = {
      type: 6,
      properties: { city: { type: 1 }, days: { type: 5, items: { type: 3 } } },
    }
    const { tools } = decode({ tools: [{ functionDeclarations: [{ name: "find", parameters }] }] })
    expect(tools?.[0]?.parameters).toEqual({
      type: "object",
      properties: { city: { type: "string" }, days: { type: "array", items: { type: "integer" } } },
    })
  })

  test("reads a schema without a response type as a request for JSON", () => {
    const schema = { type: "OBJECT", properties: { city: { type: "STRING" } } }
    const { responseFormat } = decode({ generationConfig: { responseSchema: schema } })
    expect(responseFormat).toMatchObject({ type: "json-schema", schema: { type: "object" } })
  })

  test("reads the role 'tool' for results, as in Google's examples", () => {
    const { messages } = decode({
      contents: [
        { role: "user", parts: [{ text: "Find it" }] },
        { role: "model", parts: [{ functionCall: { name: "find", args: {} } }] },
        {
          role: "tool",
          parts: [{ functionResponse: { name: "find", response: { output: "1" } } }],
        },
      ],
    })
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"])
  })
})

test("the Gemini decoder normalizes alternative forms before the request is sent to Google", () => {
  const parts = [{ functionResponse: { name: "find", response: { output: "1" } } }]
  expect(addressed({ contents: [{ role: "function", parts }] })).toMatchObject({
    contents: [{ role: "user", parts }],
  })
  expect(addressed({ contents: "Hello" })).toMatchObject({
    contents: [{ parts: [{ text: "Hello" }] }],
  })
})

test("the Gemini decoder reads a token count request in all forms", () => {
  const counted = decodeCountRequest(
    addressed({ generateContentRequest: { contents: "Hello", generationConfig: { topK: "4" } } }),
  )
  expect(counted).toMatchObject({ topK: 4, messages: [{ parts: [{ text: "Hello" }] }] })
})

/** Returns a body with this number of different names, in objects of 4,000. */
function bodyWithNames(count: number, name: (index: number) => string): string {
  const members = Array.from({ length: count }, (_, index) => [name(index), { c_d: 1 }])
  const objects: object[] = []
  for (let start = 0; start < count; start += 4_000) {
    objects.push(Object.fromEntries(members.slice(start, start + 4_000)) as object)
  }
  return JSON.stringify({ contents: "Hello", extra: objects })
}

test("the Gemini decoder converts names in snake case in linear time", () => {
  const text = bodyWithNames(1_900, (index) => `a_b${index}`)
  let body: JsonObject = {}
  const time = threadTime(() => {
    body = addressed(JSON.parse(text) as JsonObject)
  }, 40)
  expect(body["extra"]).toMatchObject([{ aB0: { cD: 1 }, aB1: { cD: 1 } }])
  expect(time).toBeLessThan(40)
})

test("the Gemini decoder quickly rejects a request with more than 2,000 names in snake case", () => {
  const text = bodyWithNames(40_000, (index) => `${"a_".repeat(25)}${index}`)
  const body = JSON.parse(text) as JsonObject
  const time = threadTime(() => {
    expect(() => addressed(body)).toThrow("more than 2000 different names")
  }, 60)
  expect(time).toBeLessThan(60)
})
