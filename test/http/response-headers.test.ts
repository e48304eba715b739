import { expect, test } from "bun:test"
import { ResponseHeaders } from "../../src/http/response-headers.ts"

/** Copies the headers at once, as `Response` does. */
function converted(headers: ResponseHeaders, record: Record<string, string>) {
  return Object.fromEntries(new Response(null, { headers: headers.convert(record) }).headers)
}

test("a response only has its own headers", () => {
  const headers = new ResponseHeaders()
  const records = [
    { "x-request-id": "req_1", "x-tollgate-cost": "1" },
    { "x-request-id": "req_2", "x-tollgate-cost": "2" },
    { "x-request-id": "req_3", "x-tollgate-losses": "n:dropped" },
    { "x-request-id": "req_4" },
    { "x-request-id": "req_5", "x-tollgate-cost": "5" },
    {},
  ]
  for (const record of records) expect(converted(headers, record)).toEqual(record)
})

test("a response keeps its headers when a later response has other values", () => {
  const headers = new ResponseHeaders()
  const first = new Response(null, { headers: headers.convert({ "x-request-id": "req_1" }) })
  headers.convert({ "x-request-id": "req_2" })
  expect(first.headers.get("x-request-id")).toBe("req_1")
})

test("a value that is not allowed in a header fails and affects no later response", () => {
  const headers = new ResponseHeaders()
  const record = { "x-request-id": "req_1", "x-tollgate-losses": "none" }
  headers.convert(record)
  expect(() => headers.convert({ ...record, "x-tollgate-losses": "a\r\nb" })).toThrow(TypeError)
  expect(converted(headers, record)).toEqual(record)
})
