import { describe, expect, test } from "bun:test"
import type { ErrorKind } from "../../../src/canon/errors.ts"
import { BEDROCK_CONVERSE } from "../../../src/dialects/bedrock-converse/index.ts"

function decode(status: number, body: unknown, type?: string) {
  const headers = new Headers(type === undefined ? {} : { "x-amzn-errortype": type })
  return BEDROCK_CONVERSE.decodeError(status, body, headers)
}

describe("the Bedrock error decoder for an invalid request", () => {
  test("returns Bedrock's message and the error type of the header", () => {
    const error = decode(
      400,
      { message: "The text field is blank." },
      "ValidationException:http://internal.amazon.com/coral/com.amazon.bedrock/",
    )
    expect(error.kind).toBe("rejected_by_upstream")
    expect(error.message).toBe("The text field is blank.")
    expect(error.details.upstream).toEqual({ status: 400, type: "ValidationException" })
  })

  test.each([
    ["the field Message", { Message: "m" }],
    ["plain text", " m\n"],
  ])("reads the message from %s", (_, body) => {
    expect(decode(400, body).message).toBe("m")
  })

  test("reads the error type from the body", () => {
    const error = decode(400, { __type: "com.amazon.coral#ValidationException", message: "m" })
    expect(error.details.upstream).toEqual({ status: 400, type: "ValidationException" })
  })

  test("returns a general message for an HTML page, an empty body or missing headers", () => {
    const words = "The provider rejected the request with status 400."
    expect(BEDROCK_CONVERSE.decodeError(400, "<html>secret</html>").message).toBe(words)
    expect(BEDROCK_CONVERSE.decodeError(400, undefined).message).toBe(words)
    expect(BEDROCK_CONVERSE.decodeError(400, [1]).message).toBe(words)
  })
})

test.each<[string, number, ErrorKind]>([
  ["UnrecognizedClientException", 403, "upstream_error"],
  ["UnrecognizedClientException", 400, "upstream_error"],
  ["ExpiredTokenException", 400, "upstream_error"],
  ["InvalidSignatureException", 403, "upstream_error"],
  ["AccessDeniedException", 403, "upstream_error"],
  ["ThrottlingException", 429, "upstream_overloaded"],
  ["ThrottlingException", 400, "upstream_overloaded"],
  ["ServiceQuotaExceededException", 400, "upstream_overloaded"],
  ["ModelNotReadyException", 429, "upstream_overloaded"],
  ["ServiceUnavailableException", 503, "upstream_overloaded"],
  ["ModelTimeoutException", 408, "upstream_timeout"],
  ["ModelErrorException", 424, "upstream_error"],
  ["ResourceNotFoundException", 404, "upstream_error"],
  ["InternalServerException", 500, "upstream_error"],
])(
  "the Bedrock error %s with status %i is reported as %s and hides Bedrock's message",
  (type, status, kind) => {
    const error = decode(status, { message: "secret text" }, type)
    expect(error.kind).toBe(kind)
    expect(error.message).not.toContain("secret")
  },
)

test("an expired Bedrock credential is reported as a problem with the credential", () => {
  const error = decode(400, { message: "The security token expired" }, "ExpiredTokenException")
  expect(error.message).toContain("credential")
})

test("an unknown Bedrock model name is attributed to the operator", () => {
  for (const message of [
    "The provided model identifier is invalid.",
    "Invocation of model ID x with on-demand throughput isn’t supported.",
  ]) {
    const error = decode(400, { message }, "ValidationException")
    expect(error.kind).toBe("upstream_error")
    expect(error.message).toContain("has no such model")
  }
})
