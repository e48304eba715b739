import { describe, expect, test } from "bun:test"
import * as z from "zod"
import { expects, invalidRequest, pathName } from "../../src/canon/invalid-request.ts"
import type { JsonValue } from "../../src/canon/json.ts"
import { decimal, flag, integer, text } from "../../src/dialects/shared/parameters.ts"

function reject(schema: z.ZodType, body: JsonValue) {
  const parsed = schema.safeParse(body)
  if (parsed.success) throw new Error("the body was taken")
  const { kind, message, details } = invalidRequest(parsed.error, body)
  return { kind, message, parameter: details.parameter }
}

test("field paths in errors are written in OpenAI's format", () => {
  expect(pathName(["messages", 0, "content", 1, "type"])).toBe("messages[0].content[1].type")
  expect(pathName([])).toBe("")
})

describe("the validation error message", () => {
  test.each<[string, z.ZodType, JsonValue, [kind: string, message: string]]>([
    ["missing", z.string(), {}, ["missing_required_parameter", "Missing required parameter: 'a'."]],
    [
      "null where a value is required",
      z.string(),
      { a: null },
      ["invalid_type", "Invalid type for 'a': expected a string, but got null instead."],
    ],
    [
      "integer",
      integer(),
      { a: "x" },
      ["invalid_type", "Invalid type for 'a': expected an integer, but got a string instead."],
    ],
    [
      "fraction",
      integer(),
      { a: 1.5 },
      [
        "invalid_type",
        "Invalid type for 'a': expected an integer, but got a decimal number instead.",
      ],
    ],
    [
      "above",
      integer({ maximum: 3 }),
      { a: 4 },
      [
        "above_max_value",
        "Invalid 'a': integer above maximum value. Expected a value <= 3, but got 4 instead.",
      ],
    ],
    [
      "below",
      decimal({ minimum: 0 }),
      { a: -1 },
      [
        "below_min_value",
        "Invalid 'a': decimal below minimum value. Expected a value >= 0, but got -1 instead.",
      ],
    ],
    [
      "flag",
      flag(),
      { a: [] },
      ["invalid_type", "Invalid type for 'a': expected a boolean, but got an array instead."],
    ],
    [
      "text",
      text(),
      { a: {} },
      ["invalid_type", "Invalid type for 'a': expected a string, but got an object instead."],
    ],
    [
      "list",
      z.array(z.string()),
      { a: true },
      ["invalid_type", "Invalid type for 'a': expected an array, but got a boolean instead."],
    ],
    [
      "choice",
      z.enum(["x", "y"]),
      { a: "z" },
      ["invalid_value", "Invalid value: 'z'. Supported values are: 'x' and 'y'."],
    ],
    [
      "choice of another type",
      z.enum(["x", "y", "z"]),
      { a: 1 },
      [
        "invalid_type",
        "Invalid type for 'a': expected one of 'x', 'y', or 'z', but got an integer instead.",
      ],
    ],
    [
      "long text",
      z.string().max(2),
      { a: "abc" },
      [
        "string_above_max_length",
        "Invalid 'a': string too long. Expected a string with maximum length 2, but got a string with length 3 instead.",
      ],
    ],
    [
      "short list",
      z.array(z.string()).min(1),
      { a: [] },
      [
        "invalid_value",
        "Invalid 'a': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      ],
    ],
    [
      "long list",
      z.array(z.string()).max(1),
      { a: ["x", "y"] },
      [
        "invalid_value",
        "Invalid 'a': array too long. Expected an array with maximum length 1, but got an array with length 2 instead.",
      ],
    ],
    [
      "own words",
      z.string().refine(() => false, "Not this."),
      { a: "x" },
      ["invalid_value", "Not this."],
    ],
  ])("has the kind and wording for %s", (_, schema, body, [kind, message]) => {
    expect(reject(z.object({ a: schema }), body)).toEqual({
      kind: kind as never,
      message,
      parameter: "a",
    })
  })

  test("describes the branch of a union that matches the value best", () => {
    const words = expects("one of a string or array of objects")
    const part = z.object({ type: z.enum(["text"]) })
    const schema = z.object({ a: z.union([z.string(), z.array(part)], words) })
    expect(reject(schema, { a: [{ type: "x" }] }).parameter).toBe("a[0].type")
    expect(reject(schema, { a: 5 }).message).toBe(
      "Invalid type for 'a': expected one of a string or array of objects, but got an integer instead.",
    )
  })

  test("does not expose inherited members", () => {
    const { message } = reject(z.object({ a: z.object({ toString: z.string() }) }), { a: {} })
    expect(message).toBe("Missing required parameter: 'a.toString'.")
  })
})
