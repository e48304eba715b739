import { describe, expect, test } from "bun:test"
import { ERROR_KINDS, type ErrorKind, GatewayError } from "../../../src/canon/errors.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"
import { HAS_FIXTURES, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import { anthropicRecordings } from "./fixtures.ts"

function encode(error: GatewayError) {
  return ANTHROPIC_MESSAGES.encodeError(error, "request-1")
}

describe("the Anthropic error encoder", () => {
  test("adds the gateway's own fields to an error", () => {
    const error = new GatewayError("insufficient_credits", "No credits.", {
      fields: { balance: "0.1", required: "0.2" },
    })
    expect(encode(error)).toEqual({
      status: 402,
      body: {
        type: "error",
        error: {
          type: "billing_error",
          message: "No credits.",
          error_type: "insufficient_credits",
          balance: "0.1",
          required: "0.2",
        },
        request_id: "request-1",
      },
    })
    const wrong = new GatewayError("invalid_type", "Wrong.", { parameter: "messages[0]" })
    expect(encode(wrong).body.error).toMatchObject({ param: "messages[0]" })
  })

  test("maps every error kind to a type and a status", () => {
    for (const kind of Object.keys(ERROR_KINDS) as ErrorKind[]) {
      const { status, body } = encode(new GatewayError(kind, "x"))
      expect(body.error).toMatchObject({ type: ERROR_KINDS[kind].anthropicType, error_type: kind })
      expect(status).toBe(kind === "upstream_overloaded" ? 529 : ERROR_KINDS[kind].status)
    }
  })

  test("keeps the status of a vendor error and sets the matching type", () => {
    const rejected = (status: number) =>
      encode(new GatewayError("rejected_by_upstream", "No.", { upstream: { status } }))
    expect(rejected(400)).toMatchObject({
      status: 400,
      body: { error: { type: "invalid_request_error" } },
    })
    expect(rejected(413)).toMatchObject({
      status: 413,
      body: { error: { type: "request_too_large" } },
    })
    expect(rejected(422)).toMatchObject({ body: { error: { type: "invalid_request_error" } } })
  })
})

describe("the Anthropic error decoder", () => {
  const decode = (status: number, body: unknown) => {
    const { kind, message, details } = ANTHROPIC_MESSAGES.decodeError(status, body)
    return [kind, message, details.upstream?.status]
  }
  const envelope = (type: string, message: string, more = {}) => ({
    type: "error",
    error: { type, message, ...more },
    request_id: "req_1",
  })

  test("attributes an invalid request to the caller", () => {
    expect(decode(400, envelope("invalid_request_error", "max_tokens: too large"))).toEqual([
      "rejected_by_upstream",
      "max_tokens: too large",
      400,
    ])
    expect(decode(413, envelope("request_too_large", "Too large"))[0]).toBe("rejected_by_upstream")
  })

  test("does not attribute problems with the operator's key or account to the caller", () => {
    for (const [status, type] of [
      [401, "authentication_error"],
      [402, "billing_error"],
      [403, "permission_error"],
    ] as const) {
      expect(decode(status, envelope(type, "key sk-ant-1 is bad"))).toEqual([
        "upstream_error",
        "The provider rejected the credential that the operator of this gateway configured for it.",
        undefined,
      ])
    }
    const balance = "Your credit balance is too low to access the Anthropic API."
    expect(decode(400, envelope("invalid_request_error", balance))[0]).toBe("upstream_error")
    const limit = { details: { error_code: "enforced_spend_limit_reached" } }
    expect(decode(429, envelope("rate_limit_error", "Limit.", limit))[0]).toBe("upstream_error")
  })

  test("marks overload and timeouts as temporary errors", () => {
    expect(decode(429, envelope("rate_limit_error", "x"))[0]).toBe("upstream_overloaded")
    expect(decode(529, envelope("overloaded_error", "Overloaded"))[0]).toBe("upstream_overloaded")
    expect(decode(504, envelope("timeout_error", "x"))[0]).toBe("upstream_timeout")
    expect(decode(500, envelope("api_error", "x"))[0]).toBe("upstream_error")
  })

  test("accepts error bodies of any shape", () => {
    expect(decode(400, "no JSON here")).toEqual(["rejected_by_upstream", "no JSON here", 400])
    expect(decode(400, "<html>secret</html>")[1]).toBe(
      "The provider rejected the request with status 400.",
    )
    expect(decode(400, { message: "flat" })[1]).toBe("flat")
    expect(decode(400, undefined)[0]).toBe("rejected_by_upstream")
    expect(decode(400, [])[0]).toBe("rejected_by_upstream")
  })
})

describe(`recorded Anthropic errors${WITHOUT_FIXTURES}`, () => {
  const failed = anthropicRecordings().filter(({ status }) => status !== 200)
  test.skipIf(!HAS_FIXTURES)("exist in several files", () =>
    expect(failed.length).toBeGreaterThan(1),
  )

  for (const { file, status, response } of failed) {
    test(`decode to rejected_by_upstream only for status 400: ${file}`, () => {
      const { kind, message } = ANTHROPIC_MESSAGES.decodeError(status, response)
      if (status === 400) {
        expect(kind).toBe("rejected_by_upstream")
        expect(JSON.stringify(response)).toContain(JSON.stringify(message))
      } else expect(kind).toBe("upstream_error")
    })
  }
})
