import { describe, expect, test } from "bun:test"
import { GatewayError, type ErrorKind } from "../../../src/canon/errors.ts"
import { OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"
import { WITHOUT_FIXTURES } from "../../support/recordings.ts"
import { recordedResponses } from "./recorded.ts"

const { decodeError, encodeError } = OPENAI_RESPONSES

describe("the Responses error decoder", () => {
  test.each<[string, number, unknown, Partial<GatewayError>]>([
    [
      "OpenAI's envelope",
      400,
      {
        error: {
          message: "Unsupported parameter: 'temperature'.",
          type: "invalid_request_error",
          param: "temperature",
          code: null,
        },
      },
      {
        kind: "rejected_by_upstream",
        message: "Unsupported parameter: 'temperature'.",
        details: {
          upstream: { status: 400, type: "invalid_request_error" },
          parameter: "temperature",
        },
      },
    ],
    [
      "an unknown model with a 400",
      400,
      { error: { message: "No such model.", param: "model", code: "model_not_found" } },
      {
        kind: "upstream_error",
        message: "The provider has no such model or address.",
      },
    ],
    [
      "a wrong key, in xAI's words",
      400,
      { code: "invalid-argument", error: "Incorrect API key provided." },
      { kind: "upstream_error" },
    ],
    ["a flat error", 400, { message: "No.", code: 7 }, { message: "No." }],
    [
      "a list of messages",
      422,
      { detail: [{ loc: ["input"] }] },
      { message: '[{"loc":["input"]}]' },
    ],
    ["a single message", 422, { detail: "No." }, { message: "No." }],
    ["text", 400, "No.", { message: "No." }],
    ["a page", 400, "<html>", { message: "The provider rejected the request with status 400." }],
    ["nothing", 500, undefined, { kind: "upstream_error" }],
    ["too many requests", 429, {}, { kind: "upstream_overloaded" }],
  ])("decodes %s", (_, status, body, expected) => {
    expect(decodeError(status, body)).toMatchObject(expected)
  })
})

describe(`recorded Responses errors${WITHOUT_FIXTURES}`, () => {
  const kinds: Readonly<Record<string, ErrorKind>> = {
    "401": "upstream_error",
    model_not_found: "upstream_error",
    "invalid-argument": "upstream_error",
  }
  for (const { file, status, response } of recordedResponses()) {
    if (status === 200 || typeof response !== "object") continue
    test(`decode to an error kind according to status or code: ${file}`, () => {
      const { error } = response
      const code =
        typeof error === "object" && error !== null && "code" in error ? error.code : response.code
      const expected = kinds[String(status)] ?? kinds[String(code)] ?? "rejected_by_upstream"
      const decoded = decodeError(status, response)
      expect(decoded.kind).toBe(expected)
      if (expected === "rejected_by_upstream") expect(decoded.status).toBe(status)
      expect(decoded.message).not.toContain("key provided")
    })
  }
})

test("the Responses error encoder uses OpenAI's envelope", () => {
  const error = new GatewayError("invalid_value", "No.", { parameter: "input" })
  expect(encodeError(error, "request_1")).toEqual({
    status: 400,
    body: {
      error: {
        message: "No.",
        type: "invalid_request_error",
        param: "input",
        code: "invalid_value",
        error_type: "invalid_value",
        request_id: "request_1",
      },
    },
  })
})

test.each([
  ["DeepInfra", { detail: { error: "Your account has no credits" } }],
  ["Cloudflare", { errors: [{ code: 5018, message: "Your account has no credits" }] }],
  ["OpenRouter", { error: { metadata: { raw: '{"error":"Your account has no credits"}' } } }],
])("the Responses error decoder recognizes an account error in the form of %s", (_, body) => {
  const { details } = OPENAI_RESPONSES.decodeError(400, body)
  expect(details.providerError).toBe("forbidden")
})
