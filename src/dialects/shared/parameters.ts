import * as z from "zod"
import { expects, invalidRequest } from "../../canon/invalid-request.ts"
import type { JsonObject } from "../../canon/json.ts"
import { once } from "../../canon/once.ts"
import { FieldNames, type OtherNames } from "./field-names.ts"

/**
 * The parameter types that every endpoint uses. Each treats null as absent, as OpenAI's API does, and has the
 * description that `invalidRequest` needs for its message.
 */

interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
}

const AN_INTEGER = expects("an integer")
const A_DECIMAL = expects("a decimal")

/** An optional integer. */
export function integer(bounds: Bounds = {}): z.ZodOptional<z.ZodNullable<z.ZodNumber>> {
  let schema: z.ZodNumber = z.int(AN_INTEGER)
  if (bounds.minimum !== undefined) schema = schema.min(bounds.minimum, AN_INTEGER)
  if (bounds.maximum !== undefined) schema = schema.max(bounds.maximum, AN_INTEGER)
  return schema.nullish()
}

/** An optional integer of any size. */
export function longInteger(): z.ZodOptional<z.ZodNullable<z.ZodType<number | bigint>>> {
  const small = z.number(AN_INTEGER).multipleOf(1, AN_INTEGER)
  return z.union([small, z.bigint()], AN_INTEGER).nullish()
}

/** An optional number. */
export function decimal(bounds: Bounds = {}): z.ZodOptional<z.ZodNullable<z.ZodNumber>> {
  let schema: z.ZodNumber = z.number(A_DECIMAL)
  if (bounds.minimum !== undefined) schema = schema.min(bounds.minimum, A_DECIMAL)
  if (bounds.maximum !== undefined) schema = schema.max(bounds.maximum, A_DECIMAL)
  return schema.nullish()
}

/** Optional text. */
export function text(): z.ZodOptional<z.ZodNullable<z.ZodString>> {
  return z.string().nullish()
}

/** An optional boolean. */
export function flag(): z.ZodOptional<z.ZodNullable<z.ZodBoolean>> {
  return z.boolean().nullish()
}

/** The parameters of an endpoint. */
interface Parameters {
  readonly schemas: ReadonlyMap<string, z.ZodType>
  readonly names: FieldNames
}

/** Made for the first request, since most gateways never see one of most endpoints. */
export type ParameterSchemas = () => Parameters

/** @param make what each parameter has to be. */
export function parameterSchemas(
  make: () => Record<string, z.ZodType>,
  others: OtherNames,
): ParameterSchemas {
  return once(() => {
    const schemas = new Map(Object.entries(make()))
    return {
      schemas,
      names: new FieldNames({ ...others, own: [...schemas.keys(), ...others.own] }),
    }
  })
}

/**
 * Validates the parameters that are present: a request has three of thirty, and this is the hot path.
 * @param parameters those of the endpoint; others are only checked for their names.
 * @throws GatewayError naming the first invalid one.
 */
export function validateParameters(body: JsonObject, parameters: ParameterSchemas): void {
  const { schemas, names } = parameters()
  for (const name in body) {
    const value = body[name]
    const schema = schemas.get(name)
    if (schema === undefined || typeof value === "object") names.check(name, value)
    const parsed = schema?.safeParse(value)
    if (parsed === undefined || parsed.success) continue
    const issues = parsed.error.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] }))
    throw invalidRequest({ issues }, body)
  }
}
