import { describe, expect, test } from "bun:test"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"
import { chatRecordings, HAS_FIXTURES } from "./fixtures.ts"

const { decodeError, encodeError } = OPENAI_CHAT

/** Matches errors with status 400 about a model that the operator's account at the vendor does not have. */
const UNKNOWN_MODEL = /not a valid model id|supported api model names are/i

describe("the OpenAI error encoder", () => {
  test("uses OpenAI's envelope with the gateway's own codes", () => {
    const error = new GatewayError("insufficient_credits", "No credits.", {
      fields: { balance: "0", required: "1.5" },
    })
    expect(encodeError(error, "request-1")).toEqual({
      status: 402,
      body: {
        error: {
          message: "No credits.",
          type: "insufficient_quota",
          param: null,
          code: "insufficient_credits",
          error_type: "insufficient_credits",
          request_id: "request-1",
          balance: "0",
          required: "1.5",
        },
      },
    })
  })

  test("keeps a vendor's message", () => {
    const rejected = decodeError(422, {
      error: { message: "bad schema", type: "invalid_request_error", code: "bad", param: "tools" },
    })
    expect(encodeError(rejected, "r")).toMatchObject({
      status: 422,
      body: {
        error: {
          message: "bad schema",
          code: "bad",
          param: "tools",
          error_type: "rejected_by_upstream",
        },
      },
    })
  })
})

describe("the OpenAI error decoder", () => {
  test.each<[string, unknown, string, { code?: string; type?: string }]>([
    ["OpenAI", { error: { message: "m", type: "t", code: "c" } }, "m", { code: "c", type: "t" }],
    ["a number for a code", { error: { message: "m", code: 400 } }, "m", { code: "400" }],
    ["Gemini's list", [{ error: { message: "m", code: 400 } }], "m", { code: "400" }],
    ["xAI", { code: "invalid-argument", error: "m" }, "m", { code: "invalid-argument" }],
    ["Mistral's detail", { detail: "m" }, "m", {}],
    ["DeepInfra's detail", { detail: { error: "m" } }, "m", {}],
    [
      "Cloudflare's errors",
      { success: false, errors: [{ code: 5, message: "m" }] },
      "m",
      { code: "5" },
    ],
    [
      "the called provider's error at OpenRouter",
      {
        error: {
          message: "Provider returned error",
          metadata: { raw: '{"error":{"message":"m"}}' },
        },
      },
      "m",
      {},
    ],
    ["Mistral's message", { object: "error", message: "m", type: "t" }, "m", { type: "t" }],
    ["a list of messages", { detail: [{ loc: ["a"] }] }, '[{"loc":["a"]}]', {}],
    ["messages inside a message", { message: { detail: ["a"] } }, '["a"]', {}],
    ["plain text", "  m\n", "m", {}],
    ["a page", "<html>secret</html>", "The provider rejected the request with status 400.", {}],
    ["nothing", undefined, "The provider rejected the request with status 400.", {}],
    ["an empty list of errors", [[[]]], "The provider rejected the request with status 400.", {}],
  ])("reads an error in the form of %s", (_, body, message, words) => {
    const error = decodeError(400, body)
    expect(error.kind).toBe("rejected_by_upstream")
    expect(error.message).toBe(message)
    expect(error.details.upstream).toEqual({ status: 400, ...words })
  })

  test("shortens long messages", () => {
    expect(decodeError(400, { error: { message: "x".repeat(9000) } }).message).toHaveLength(2000)
  })

  test.each([
    [401, "upstream_error"],
    [402, "upstream_error"],
    [403, "upstream_error"],
    [404, "upstream_error"],
    [408, "upstream_timeout"],
    [413, "rejected_by_upstream"],
    [422, "rejected_by_upstream"],
    [429, "upstream_overloaded"],
    [500, "upstream_error"],
    [503, "upstream_overloaded"],
    [504, "upstream_timeout"],
    [529, "upstream_overloaded"],
    [302, "upstream_error"],
  ])("maps an error with status %i to the kind %s", (status, kind) => {
    const error = decodeError(status, { error: { message: "secret text" } })
    expect(error.kind).toBe(kind as GatewayError["kind"])
    if (kind !== "rejected_by_upstream") expect(error.message).not.toContain("secret")
  })

  test.each([
    [400, { code: "x", error: "Incorrect API key provided: xa***yz." }],
    [400, [{ error: { message: "API key not valid. Please pass a valid API key.", code: 400 } }]],
    [429, { error: { message: "You exceeded your quota", code: "insufficient_quota" } }],
    [401, { detail: "Invalid API Key sk-12345" }],
  ])("hides details of the operator's credential for status %i", (status, body) => {
    const error = decodeError(status, body)
    expect(error.kind).toBe("upstream_error")
    expect(error.message).toContain("credential")
    expect(error.message).not.toMatch(/xa|sk-|quota/)
  })

  test.skipIf(!HAS_FIXTURES)(
    "attributes recorded errors to the caller only for invalid requests",
    () => {
      const failed = chatRecordings().filter(({ status }) => status !== 200)
      expect(failed.length).toBeGreaterThan(10)
      for (const { status, response } of failed) {
        const error = decodeError(status, response)
        const isRefusal = error.kind === "rejected_by_upstream"
        const isUnknownModel = UNKNOWN_MODEL.test(JSON.stringify(response))
        expect(isRefusal).toBe(status === 400 && !isUnknownModel)
        if (isRefusal && typeof response === "object") {
          const { error: told = response } = response as { error?: JsonObject }
          expect(error.message).toBe(String(told.message))
        }
      }
    },
  )
})

test.each([
  [
    {
      error: {
        message: "Provider returned error",
        metadata: { raw: "Your credit balance is too low" },
      },
    },
  ],
  [{ error: { message: '{"error":{"message":"Your account acme is suspended"}}' } }],
  [
    {
      error: {
        message: `litellm.BadRequestError: AnthropicException - b'{"type":"error","error":{"message":"Your credit balance is too low"}}'`,
      },
    },
  ],
  [{ error_code: 17, error_msg: "Your quota is used up" }],
  [{ Response: { Error: { Code: "Failed", Message: "Your account is in arrears" } } }],
  [
    {
      error: { message: "Failed", innererror: { details: [{ message: "Insufficient credits" }] } },
    },
  ],
])("the OpenAI error decoder never attributes an account error to the caller: %j", (body) => {
  const error = decodeError(400, body)
  expect(error.kind).not.toBe("invalid_request")
  expect(error.message).not.toMatch(/balance|acme|quota|arrears|credits/i)
})

test("the OpenAI error decoder does not treat text that quotes the caller as an account error", () => {
  const echoed = [{ loc: ["body"], msg: "Field required", input: "Your account is suspended" }]
  expect(decodeError(400, { detail: echoed }).message).toContain("Field required")
})
