import * as z from "zod"
import { expects, invalidRequest } from "../../canon/invalid-request.ts"
import type { GatewayError } from "../../canon/errors.ts"
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

/** Accepts most valid values of a schema without running the schema, which takes far longer. */
type QuickCheck = (value: unknown) => boolean

const quickChecks = new WeakMap<z.ZodType, QuickCheck>()

function withQuickCheck<Schema extends z.ZodType>(schema: Schema, check: QuickCheck): Schema {
  quickChecks.set(schema, check)
  return schema
}

/** An optional integer. */
export function integer(bounds: Bounds = {}): z.ZodOptional<z.ZodNullable<z.ZodNumber>> {
  const { minimum, maximum } = bounds
  let schema: z.ZodNumber = z.int(AN_INTEGER)
  if (minimum !== undefined) schema = schema.min(minimum, AN_INTEGER)
  if (maximum !== undefined) schema = schema.max(maximum, AN_INTEGER)
  const isWithin = isBetween(bounds)
  return withQuickCheck(
    schema.nullish(),
    (value) => Number.isSafeInteger(value) && isWithin(value as number),
  )
}

function isBetween({
  minimum = -Infinity,
  maximum = Infinity,
}: Bounds): (value: number) => boolean {
  return (value) => value >= minimum && value <= maximum
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
  const isWithin = isBetween(bounds)
  return withQuickCheck(
    schema.nullish(),
    (value) => typeof value === "number" && Number.isFinite(value) && isWithin(value),
  )
}

/** Optional text. */
export function text(): z.ZodOptional<z.ZodNullable<z.ZodString>> {
  return withQuickCheck(z.string().nullish(), (value) => typeof value === "string")
}

/** An optional boolean. */
export function flag(): z.ZodOptional<z.ZodNullable<z.ZodBoolean>> {
  return withQuickCheck(z.boolean().nullish(), (value) => typeof value === "boolean")
}

/** The checks of one parameter. */
interface Parameter {
  readonly schema: z.ZodType
  readonly isQuicklyValid: QuickCheck | undefined
}

/** The parameters of an endpoint. */
interface Parameters {
  readonly schemas: ReadonlyMap<string, Parameter>
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
    const schemas = new Map(
      Object.entries(make()).map(([name, schema]): [string, Parameter] => [
        name,
        { schema, isQuicklyValid: quickChecks.get(schema) },
      ]),
    )
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
    const parameter = schemas.get(name)
    if (parameter === undefined || typeof value === "object") names.check(name, value)
    if (parameter === undefined || parameter.isQuicklyValid?.(value) === true) continue
    const parsed = parameter.schema.safeParse(value)
    if (!parsed.success) throw invalidParameter(name, parsed.error, body)
  }
}

function invalidParameter(name: string, error: z.ZodError, body: JsonObject): GatewayError {
  const issues = error.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] }))
  return invalidRequest({ issues }, body)
}
