import { expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import type { Loss } from "../../../src/canon/extra.ts"
import { fittedSchema } from "../../../src/relay/fitting/fit-schema.ts"
import { fitTools } from "../../../src/relay/fitting/fit-tools.ts"
import { threadTime } from "../../support/processor-time.ts"

const schemaWith = ($ref: string): JsonObject => ({
  type: "object",
  properties: { next: { $ref } },
  $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
})

test("a recursive schema is not sent to models that do not support recursion", () => {
  const rules = { schema_recursion: false }
  expect(fittedSchema(schemaWith("#/$defs/node"), rules)).toBeUndefined()
  expect(fittedSchema(schemaWith("#/$defs/other"), rules)).toBeDefined()
})

test("a long reference is not followed", () => {
  const schema = schemaWith(`#/$defs${"/a".repeat(5_000_000)}`)
  const fit = () => fittedSchema(schema, { schema_recursion: false })
  expect(threadTime(fit, 100)).toBeLessThan(100)
  expect(fit()).toBeDefined()
})

test("a schema with more than 10,000 subschemas is not sent to models that support only some keywords", () => {
  const allOf = Array.from({ length: 10_001 }, () => ({ type: "object" }))
  const schema = { type: "object", allOf }
  expect(fittedSchema(schema, { schema_recursion: false })).toBeUndefined()
  expect(fittedSchema(schema, {})).toBe(schema)
})

test("thousands of references of 4,000 characters are followed quickly", () => {
  const references = [`#/${"a/".repeat(2_000)}`, `#/properties/${"/".repeat(4_000)}`]
  for (const $ref of references) {
    const properties = Object.fromEntries(
      Array.from({ length: 6_500 }, (_, index) => [`member_${index}`, { $ref }]),
    )
    const schema = { type: "object", properties }
    const rules = { schema_recursion: false }
    expect(threadTime(() => fittedSchema(schema, rules), 100)).toBeLessThan(100)
  }
})

test("references to escaped names in a schema are followed", () => {
  const schema = {
    type: "object",
    properties: { next: { $ref: "#/$defs/a~1b~0c" } },
    $defs: { "a/b~c": { type: "object", properties: { next: { $ref: "#" } } } },
  }
  expect(fittedSchema(schema, { schema_recursion: false })).toBeUndefined()
})

test("at most 10,000 schemas are adapted in all tools together", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 2_400 }, (_, index) => [`member_${index}`, { type: "string" }]),
  )
  const parameters: JsonObject = {
    type: "object",
    additionalProperties: false,
    required: Object.keys(properties),
    properties,
  }
  const tools = Array.from({ length: 20 }, (_, index) => ({
    name: `tool_${index}`,
    strict: true,
    parameters,
  }))
  const request = {
    model: "m",
    messages: [],
    stream: false,
    streamUsage: true,
    choices: 1,
    tools,
  }
  const losses: Loss[] = []
  fitTools(request, { strict_requires_all: true }, losses)
  expect(request.tools.filter(({ strict }) => strict)).toHaveLength(4)
  expect(losses[0]).toEqual({ name: "tools.strict", effect: "dropped" })
})
