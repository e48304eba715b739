import { describe, expect, test } from "bun:test"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { decodeEmbeddingRequest } from "../../../src/dialects/embedding/request/openai.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import { requestOf } from "./support.ts"

/** Returns the error as `kind parameter: message`, or `taken` if the body is accepted. */
function verdict(body: JsonObject): string {
  try {
    decodeEmbeddingRequest(body)
    return "taken"
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return `${error.kind} ${error.details.parameter}: ${error.message}`
  }
}

test("the embedding request decoder accepts text, a list of texts, tokens, or a list of token lists", () => {
  expect(requestOf({ input: "one" }).input).toEqual({ type: "texts", texts: ["one"] })
  expect(requestOf({ input: ["one", "two"] }).input).toEqual({
    type: "texts",
    texts: ["one", "two"],
  })
  expect(requestOf({ input: [1, 2] }).input).toEqual({ type: "tokens", tokens: [[1, 2]] })
  expect(requestOf({ input: [[1], [2, 3]] }).input).toEqual({
    type: "tokens",
    tokens: [[1], [2, 3]],
  })
})

test("the embedding request decoder reads parameters, ignores null and keeps other fields as extras", () => {
  const request = requestOf({
    encoding_format: "base64",
    dimensions: 64,
    user: "u",
    input_type: "search_query",
    truncate: "END",
  })
  expect(request).toEqual({
    model: "a/b",
    input: { type: "texts", texts: ["hello"] },
    encoding: "base64",
    dimensions: 64,
    user: "u",
    purpose: "query",
    extra: { input_type: "search_query", truncate: "END" },
  })
  expect(requestOf({ encoding_format: null, dimensions: null, user: null })).toEqual({
    model: "a/b",
    input: { type: "texts", texts: ["hello"] },
    encoding: "float",
  })
})

describe("embedding request validation", () => {
  const cases: [string, JsonObject, string][] = [
    ["no model", { input: "a" }, "missing_required_parameter model"],
    ["an empty model", { model: "", input: "a" }, "missing_required_parameter model"],
    ["a number for a model", { model: 5, input: "a" }, "invalid_type model"],
    ["no input", { model: "m" }, "missing_required_parameter input"],
    ["null", { model: "m", input: null }, "missing_required_parameter input"],
    ["an empty text", { model: "m", input: "" }, "invalid_value input"],
    ["an empty list", { model: "m", input: [] }, "invalid_value input"],
    ["an empty text in a list", { model: "m", input: ["a", ""] }, "invalid_value input[1]"],
    ["an empty list of tokens", { model: "m", input: [[1], []] }, "invalid_value input[1]"],
    ["an object", { model: "m", input: { text: "a" } }, "invalid_type input"],
    ["texts and tokens", { model: "m", input: ["a", 1] }, "invalid_type input[1]"],
    ["tokens and texts", { model: "m", input: [1, "a"] }, "invalid_type input[1]"],
    ["lists and texts", { model: "m", input: [[1], "a"] }, "invalid_type input[1]"],
    ["a fraction as a token", { model: "m", input: [1.5] }, "invalid_type input[0]"],
    ["a list of objects", { model: "m", input: [{}] }, "invalid_type input[0]"],
    ["a negative token", { model: "m", input: [-123] }, "invalid_value input"],
    ["a token above the maximum", { model: "m", input: [[100_258]] }, "invalid_value input"],
    ["an unknown encoding", { encoding_format: "hex" }, "invalid_value encoding_format"],
    ["a number for an encoding", { encoding_format: 123 }, "invalid_type encoding_format"],
    ["zero dimensions", { dimensions: 0 }, "below_min_value dimensions"],
    ["dimensions as text", { dimensions: "123" }, "invalid_type dimensions"],
    ["a fraction as dimensions", { dimensions: 1.5 }, "invalid_type dimensions"],
    ["a user other than text", { user: 5 }, "invalid_type user"],
  ]
  for (const [name, body, expected] of cases) {
    const whole = "model" in body || "input" in body ? body : { model: "m", input: "a", ...body }
    test(`rejects ${name}`, () => expect(verdict(whole)).toStartWith(`${expected}: `))
  }
})

interface Swept {
  readonly name: string
  readonly request: JsonObject
  readonly error?: { readonly message: string }
}

function swept(file: string): Swept[] {
  return JSON.parse(readFixture(`fauxpenai/${file}`)) as Swept[]
}

test.skipIf(!HAS_FIXTURES)(
  `the embedding request decoder accepts the requests that OpenAI accepted${WITHOUT_FIXTURES}`,
  () => {
    const calls = swept("emb-success.json")
    expect(calls.length).toBe(16)
    for (const { name, request } of calls) expect([name, verdict(request)]).toEqual([name, "taken"])
  },
)

test.skipIf(!HAS_FIXTURES)(
  `the embedding request decoder rejects the requests that OpenAI rejected${WITHOUT_FIXTURES}`,
  () => {
    const calls = swept("emb-errors.json")
    expect(calls.length).toBe(6)
    for (const { name, request } of calls) {
      expect([name, verdict(request)]).not.toEqual([name, "taken"])
    }
    const token = calls.find(({ name }) => name === "input=-123")
    expect(verdict(token?.request ?? {})).toBe(`invalid_value input: ${token?.error?.message}`)
  },
)
