import { describe, expect, test } from "bun:test"
import { addressOf } from "../../console/src/api/address.ts"
import { messageOf, readError, unreachable } from "../../console/src/api/api-error.ts"
import { errorEnvelope, GatewayError } from "../../src/canon/errors.ts"

describe("API errors in the console", () => {
  test("have the message, kind and parameter of the gateway's error envelope", () => {
    const envelope = errorEnvelope(
      new GatewayError("invalid_value", "Invalid 'name': must not be empty.", {
        parameter: "name",
      }),
      "req_1",
    )
    const error = readError(400, JSON.parse(JSON.stringify(envelope)))
    expect(error).toMatchObject({
      status: 400,
      kind: "invalid_value",
      message: "Invalid 'name': must not be empty.",
      parameter: "name",
      requestId: "req_1",
      fields: { name: "Invalid 'name': must not be empty." },
    })
  })

  test("have only the first message of each field", () => {
    const error = readError(400, {
      error: {
        message: "Two faults",
        param: "name",
        errors: [
          { param: "name", message: "must not be empty" },
          { param: "name", message: "another" },
          { param: "budget", message: "must be above zero" },
          { param: 7, message: "no field" },
          "nonsense",
        ],
      },
    })
    expect(error.fields).toEqual({ name: "must not be empty", budget: "must be above zero" })
  })

  test("have a message even without an envelope", () => {
    for (const body of [null, "text", 7, [], {}, { error: null }, { error: { message: 1 } }]) {
      expect(readError(502, body).message).toBe("The gateway answered with status 502.")
    }
  })

  test("have a message even if there is no response", () => {
    expect(unreachable()).toMatchObject({ status: 0, kind: "unreachable", fields: {} })
    expect(messageOf("thrown text")).toBe("Something went wrong. Try again.")
  })
})

test("addresses in the console omit empty values and escape the rest", () => {
  expect(
    addressOf("GET /receipts", {
      query: { account: undefined, search: "", model: "a/b c&d", limit: 50 },
    }),
  ).toBe("/admin/v1/receipts?model=a%2Fb+c%26d&limit=50")
  expect(addressOf("GET /keys", {})).toBe("/admin/v1/keys")
})
