import { expect, test } from "bun:test"
import { GatewayError } from "../../../src/canon/errors.ts"
import { defined, setDefined } from "../../../src/dialects/shared/fields.ts"
import { parseFrame, parseFrameOrError } from "../../../src/dialects/shared/stream.ts"
import {
  optionalFlag,
  optionalObject,
  optionalText,
  requiredText,
} from "../../../src/dialects/shared/validation.ts"

test("the object builder omits undefined members and keeps the order of all other members", () => {
  const object = defined({ b: 1, a: undefined, c: null, d: "" })
  expect(JSON.stringify(object)).toBe('{"b":1,"c":null,"d":""}')
  expect("a" in object).toBe(false)
})

test("setDefined sets null but not undefined", () => {
  const object = {}
  setDefined(object, "a", undefined)
  setDefined(object, "b", null)
  expect(object).toEqual({ b: null })
})

test("the frame parser treats invalid JSON as a vendor failure", () => {
  expect(parseFrame({ data: '{"a":1}' })).toEqual({ a: 1 })
  expect(() => parseFrame({ data: "oops" })).toThrow(GatewayError)
  expect(() => parseFrame({ event: "error", data: "oops" })).toThrow(GatewayError)
})

test("the text of an error event becomes the message of the error", () => {
  expect(parseFrameOrError({ event: "error", data: "oops" })).toEqual({
    error: { message: "oops" },
  })
  expect(parseFrameOrError({ event: "error", data: '{"a":1}' })).toEqual({ a: 1 })
  expect(() => parseFrameOrError({ data: "oops" })).toThrow(GatewayError)
})

test("a required string can be empty, and the error for a missing string contains its path", () => {
  expect(requiredText({ a: "" }, "a", "tools[0]")).toBe("")
  expect(() => requiredText({}, "a", "tools[0]")).toThrow(
    "Missing required parameter: 'tools[0].a'.",
  )
  expect(() => requiredText({ a: null }, "a", "tools[0]")).toThrow(
    "Invalid type for 'tools[0].a': expected a string, but got null instead.",
  )
})

test("an optional member can be null, but cannot have another type", () => {
  const object = { text: "a", flag: false, object: {}, nothing: null, number: 1 }
  expect(optionalText(object, "text", "x")).toBe("a")
  expect(optionalFlag(object, "flag", "x")).toBe(false)
  expect(optionalObject(object, "object", "x")).toEqual({})
  for (const read of [optionalText, optionalFlag, optionalObject]) {
    expect(read(object, "nothing", "x")).toBeUndefined()
    expect(read(object, "absent", "x")).toBeUndefined()
    expect(() => read(object, "number", "x")).toThrow("Invalid type for 'x.number'")
  }
})
