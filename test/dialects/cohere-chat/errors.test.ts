import { expect, test } from "bun:test"
import { COHERE_CHAT } from "../../../src/dialects/cohere-chat/index.ts"
import { HAS_FIXTURES, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import { recordings } from "./fixtures.ts"

function errorOf(status: number, body: unknown) {
  const { kind, status: told, message, details } = COHERE_CHAT.decodeError(status, body)
  return { kind, status: told, message, upstream: details.upstream }
}

test("the Cohere error decoder keeps the status and message of an invalid request", () => {
  const message = "unknown field: parameter 'strict' is not a valid field."
  for (const status of [400, 413, 422]) {
    expect(errorOf(status, { id: "7f", message })).toEqual({
      kind: "rejected_by_upstream",
      status,
      message,
      upstream: { status },
    })
  }
})

test("the Cohere error decoder returns the error type if the body contains one", () => {
  expect(errorOf(400, { message: "No.", error_type: "invalid_request" }).upstream).toEqual({
    status: 400,
    type: "invalid_request",
  })
})

test("the Cohere error decoder converts status 498 for a blocked word to a bad request", () => {
  expect(errorOf(498, { message: "blocked input" })).toMatchObject({
    kind: "rejected_by_upstream",
    status: 400,
    message: "blocked input",
  })
})

test("the Cohere error decoder does not attribute other errors to the caller", () => {
  const kinds = [401, 402, 403, 404, 429, 499, 500, 501, 503, 504].map(
    (status) => errorOf(status, { message: "secret detail" }).kind,
  )
  expect(kinds).toEqual([
    "upstream_error",
    "upstream_error",
    "upstream_error",
    "upstream_error",
    "upstream_overloaded",
    "upstream_error",
    "upstream_error",
    "upstream_error",
    "upstream_overloaded",
    "upstream_timeout",
  ])
  expect(errorOf(499, { message: "secret detail" }).message).not.toContain("secret detail")
})

test("the Cohere error decoder accepts bodies of any shape", () => {
  expect(errorOf(400, "plain words").message).toBe("plain words")
  for (const body of ["<html>", "", undefined, null, [], { message: 7 }]) {
    expect(errorOf(400, body).message).toBe("The provider rejected the request with status 400.")
  }
})

test.skipIf(!HAS_FIXTURES)(
  `the Cohere error decoder reads recorded errors${WITHOUT_FIXTURES}`,
  () => {
    const errors = recordings().filter(({ status }) => status !== 200)
    expect(errors.length).toBeGreaterThan(0)
    for (const { status, response } of errors) {
      expect(status).toBe(401)
      const error = errorOf(status, response)
      expect(error.kind).toBe("upstream_error")
      expect(error.message).not.toContain("Incorrect API key")
    }
  },
)
