import { expect, test } from "bun:test"
import { z } from "zod"
import type { JsonObject } from "../../simulator/json.ts"
import { valueOf } from "../../simulator/schema-value.ts"

const SCHEMAS: Record<string, z.ZodType> = {
  scalars: z.object({
    name: z.string(),
    age: z.int().min(18).max(99),
    ratio: z.number(),
    on: z.boolean(),
  }),
  choices: z.object({
    unit: z.enum(["celsius", "kelvin"]),
    kind: z.literal("fixed"),
    none: z.null(),
  }),
  optional: z.object({ must: z.string(), may: z.string().optional(), void: z.string().nullable() }),
  arrays: z.object({ three: z.array(z.int()).length(3), pair: z.tuple([z.string(), z.boolean()]) }),
  bounds: z.object({
    short: z.string().max(2),
    long: z.string().min(20),
    step: z.int().multipleOf(5),
  }),
  limits: z.object({
    above: z.number().gt(3),
    between: z.number().gt(0).lt(1),
    below: z.int().max(-4),
  }),
  formats: z.object({
    mail: z.email(),
    day: z.iso.date(),
    at: z.iso.datetime(),
    id: z.uuid(),
    at2: z.url(),
  }),
  unions: z.union([z.object({ a: z.string() }), z.array(z.number())]),
  nested: z.object({ list: z.array(z.object({ inner: z.object({ deep: z.array(z.string()) }) })) }),
}

for (const [name, schema] of Object.entries(SCHEMAS)) {
  test(`a simulated value of the schema "${name}" is valid, and always the same`, () => {
    const value = valueOf(z.toJSONSchema(schema) as JsonObject)
    expect(schema.safeParse(value).error).toBeUndefined()
    expect(valueOf(z.toJSONSchema(schema) as JsonObject)).toEqual(value)
  })
}

test("a simulated value of a recursive schema is finite", () => {
  interface Tree {
    name: string
    children: Tree[]
    next: Tree | null
  }
  const tree: z.ZodType<Tree> = z.object({
    name: z.string(),
    get children() {
      return z.array(tree)
    },
    get next() {
      return tree.nullable()
    },
  })
  expect(tree.safeParse(valueOf(z.toJSONSchema(tree) as JsonObject)).error).toBeUndefined()
})

test("a simulated value contains required properties before optional properties", () => {
  const properties = { late: { type: "string" }, early: { type: "integer" } }
  const value = valueOf({ type: "object", properties, required: ["early"] })
  expect(JSON.stringify(value)).toBe('{"early":1,"late":"late"}')
})

test("a simulated value of a schema without properties is an empty object", () => {
  expect(valueOf({ type: "object" })).toEqual({})
})
