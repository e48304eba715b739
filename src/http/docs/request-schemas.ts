import type { RequestLimits } from "#contract/request-limits.ts"
import { limitsAt } from "#contract/service-routes.ts"
import * as z from "zod"

/**
 * Returns a schema of the limited fields in an endpoint's body; undefined without limits. All other fields follow the
 * vendor's API.
 */
export function requestSchema(path: string): z.ZodType | undefined {
  const limits = limitsAt(path)
  return limits && bodySchema(limits)
}

/** A field with its own limits and the limits of its members. */
interface Field {
  schema?: z.ZodType
  readonly fields: Map<string, Field>
  element?: Field
}

function bodySchema({ lists, maps, texts }: RequestLimits): z.ZodType {
  const body: Field = { fields: new Map() }
  for (const name of texts) fieldAt(body, name).schema = z.string()
  for (const [name, max] of Object.entries(maps)) {
    const description = `At most ${max} members`
    fieldAt(body, name).schema = z
      .record(z.string(), z.unknown())
      .meta({ description, maxProperties: max })
  }
  for (const [name, max] of Object.entries(lists)) {
    const field = fieldAt(body, name)
    const elements = (field.element ??= { fields: new Map() })
    const { schema } = field
    const list = z.lazy(() => z.array(schemaOf(elements)).max(max))
    field.schema = schema === undefined ? list : z.union([schema, list])
  }
  return schemaOf(body)
}

function schemaOf({ schema, fields }: Field): z.ZodType {
  if (schema !== undefined) return schema
  const members = [...fields].map(([name, field]) => [name, schemaOf(field).optional()] as const)
  return members.length === 0 ? z.unknown() : z.looseObject(Object.fromEntries(members))
}

/** Returns the field at a path such as `messages[].content`, and creates it if it is missing. */
function fieldAt(body: Field, path: string): Field {
  let field = body
  for (const step of path.split(".")) {
    const name = step.replace("[]", "")
    let next = field.fields.get(name)
    if (next === undefined) field.fields.set(name, (next = { fields: new Map() }))
    field = step.endsWith("[]") ? (next.element ??= { fields: new Map() }) : next
  }
  return field
}
