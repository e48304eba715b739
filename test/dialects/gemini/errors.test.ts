import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { GEMINI } from "../../../src/dialects/gemini/index.ts"

const { decodeError } = GEMINI

function refusal(
  code: number,
  status: string,
  message: string,
  details: JsonObject[] = [],
): JsonObject {
  return { error: { code, status, message, details } }
}

describe("the Gemini error decoder", () => {
  test("returns the vendor's message for an invalid request, even if a list encloses the error", () => {
    const body = refusal(400, "INVALID_ARGUMENT", "Please use a valid role: user, model.")
    for (const answered of [body, [body]]) {
      const error = decodeError(400, answered)
      expect(error).toMatchObject({
        kind: "rejected_by_upstream",
        status: 400,
        message: "Please use a valid role: user, model.",
      })
      expect(error.details.upstream).toEqual({ status: 400, type: "INVALID_ARGUMENT" })
    }
  })

  test.each(["API_KEY_INVALID", "API_KEY_EXPIRED"])("attributes %s to the operator", (reason) => {
    const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason }
    // The message is in another language, so only the reason identifies the error.
    const error = decodeError(400, refusal(400, "INVALID_ARGUMENT", "Ungültig: AIzaSy", [info]))
    expect(error).toMatchObject({ kind: "upstream_error", status: 502 })
    expect(error.message).not.toContain("AIza")
  })

  test("returns the reason in the error details as the code", () => {
    const body = refusal(400, "INVALID_ARGUMENT", "m", [{ reason: "TOO_LARGE" }])
    expect(decodeError(400, body).details.upstream).toEqual({
      status: 400,
      type: "INVALID_ARGUMENT",
      code: "TOO_LARGE",
    })
  })

  test.each([
    ["48s", 48],
    ["34.4s", 35],
    ["0.2s", 1],
    ["soon", undefined],
  ])("reads a retry delay of %s", (retryDelay, seconds) => {
    const info = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }
    const error = decodeError(429, refusal(429, "RESOURCE_EXHAUSTED", "quota", [info]))
    expect(error.kind).toBe("upstream_overloaded")
    expect(error.details.retryAfter).toBe(seconds)
  })

  test.each([
    [401, "UNAUTHENTICATED", "upstream_error"],
    [403, "PERMISSION_DENIED", "upstream_error"],
    [404, "NOT_FOUND", "upstream_error"],
    [500, "INTERNAL", "upstream_error"],
    [503, "UNAVAILABLE", "upstream_overloaded"],
    [504, "DEADLINE_EXCEEDED", "upstream_timeout"],
  ])("maps the status %d %s to its error kind", (status, word, kind) => {
    expect(decodeError(status, refusal(status, word, "m")).kind as string).toBe(kind)
  })

  test.each<[string, unknown, string]>([
    ["plain text", " no \n", "no"],
    ["a page", "<html>secret</html>", "The provider rejected the request with status 400."],
    ["nothing", undefined, "The provider rejected the request with status 400."],
    ["an empty list", [], "The provider rejected the request with status 400."],
    ["another shape", { error: "x" }, "The provider rejected the request with status 400."],
  ])("reads the message from %s", (_, body, message) => {
    expect(decodeError(400, body).message).toBe(message)
  })
})
