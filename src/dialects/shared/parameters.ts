import * as z from "zod"
import { expects, invalidRequest } from "../../canon/invalid-request.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import { once } from "../../canon/once.ts"
import type { Writable } from "../../canon/writable.ts"
import { FieldNames, type OtherNames } from "./field-names.ts"
import { type Scalar, type ScalarTable, setScalar } from "./scalars.ts"

/**
 * The bounds of a parameter. Like OpenAI's API, the parameter types below treat null as absent. The schema of each type
 * has the description that `invalidRequest` needs for its message.
 */

interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
}

const AN_INTEGER = expects("an integer")
const A_DECIMAL = expects("a decimal")

/** Accepts most valid values without running the schema, which takes far longer. */
type QuickCheck = (value: unknown) => boolean

const quickChecks = new WeakMap<z.ZodType, QuickCheck>()

function withQuickCheck<Schema extends z.ZodType>(schema: Schema, check: QuickCheck): Schema {
  quickChecks.set(schema, check)
  return schema
}

/** Returns the schema of an optional integer. */
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

/** Returns the schema of an optional integer of any size. */
export function longInteger(): z.ZodOptional<z.ZodNullable<z.ZodType<number | bigint>>> {
  const small = z.number(AN_INTEGER).multipleOf(1, AN_INTEGER)
  return z.union([small, z.bigint()], AN_INTEGER).nullish()
}

/** Returns the schema of an optional number. */
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

/** Returns the schema of an optional string. */
export function text(): z.ZodOptional<z.ZodNullable<z.ZodString>> {
  return withQuickCheck(z.string().nullish(), (value) => typeof value === "string")
}

/** Returns the schema of an optional boolean. */
export function flag(): z.ZodOptional<z.ZodNullable<z.ZodBoolean>> {
  return withQuickCheck(z.boolean().nullish(), (value) => typeof value === "boolean")
}

/** One field of a request. */
interface Parameter {
  readonly schema: z.ZodType | undefined
  readonly isQuicklyValid: QuickCheck | undefined
  /**
   * The conversion of a scalar; null for another field that the canon can represent, undefined for a field that it
   * lacks.
   */
  readonly scalar: Scalar | null | undefined
}

/** The parameters of an endpoint. */
interface Parameters {
  readonly fields: ReadonlyMap<string, Parameter>
  readonly names: FieldNames
}

/**
 * Creates the parameters for the first request of an endpoint, since most gateways never receive requests for most
 * endpoints.
 */
export type ParameterSchemas = () => Parameters

/**
 * Returns the parameters of an endpoint.
 * @param make returns the schemas of the parameters.
 * @param scalars the parameters that `decodeParameters` copies.
 * @param extras the parameters that the canon lacks.
 */
export function parameterSchemas(
  make: () => Record<string, z.ZodType>,
  others: OtherNames,
  scalars: ScalarTable = {},
  extras: readonly string[] = [],
): ParameterSchemas {
  return once(() => {
    const schemas = make()
    const fields = new Map<string, Parameter>()
    for (const name of [...Object.keys(schemas), ...others.own]) {
      const schema = schemas[name]
      const isQuicklyValid = schema && quickChecks.get(schema)
      const scalar = scalars[name] ?? (extras.includes(name) ? undefined : null)
      fields.set(name, { schema, isQuicklyValid, scalar })
    }
    return { fields, names: new FieldNames({ ...others, own: fields.keys() }) }
  })
}

/**
 * Validates only the parameters that are present. A request has about three of thirty, and this code runs for every
 * request.
 * @param parameters the parameters of the endpoint. The values of other fields are not checked, only their names.
 * @throws GatewayError that names the first invalid parameter.
 */
export function validateParameters(body: JsonObject, parameters: ParameterSchemas): void {
  const { fields, names } = parameters()
  for (const name in body) {
    const value = body[name]
    const field = fields.get(name)
    if (field === undefined || typeof value === "object") names.check(name, value)
    if (field !== undefined && !isValid(field, value)) throw invalidParameter(name, field, body)
  }
}

/** Returns a request with the model and the stream mode of a body, which may not be valid yet. */
export function requestFor(body: JsonObject): Writable<ChatRequest> {
  const stream = body.stream === true
  return { model: body.model as string, messages: [], stream, streamUsage: stream, choices: 1 }
}

/**
 * Validates the parameters like `validateParameters`, and copies the scalars to a request. Null counts as absent.
 * @returns the fields that the canon lacks; undefined if there are none.
 * @throws GatewayError that names the first invalid parameter.
 */
export function decodeParameters(
  body: JsonObject,
  parameters: ParameterSchemas,
  request: Writable<ChatRequest>,
): JsonObject | undefined {
  const { fields, names } = parameters()
  let unknown: JsonObject | undefined
  for (const name in body) {
    const value = body[name]
    const field = fields.get(name)
    if (field === undefined || typeof value === "object") names.check(name, value)
    if (field !== undefined && !isValid(field, value)) throw invalidParameter(name, field, body)
    if (value === null || value === undefined) continue
    const scalar = field?.scalar
    if (scalar === undefined) {
      // A member with this name would become the prototype of the object.
      if (name !== "__proto__") (unknown ??= {})[name] = value
    } else if (scalar !== null) setScalar(request, scalar, value)
  }
  return unknown
}

function isValid({ schema, isQuicklyValid }: Parameter, value: unknown): boolean {
  if (schema === undefined || isQuicklyValid?.(value) === true) return true
  return schema.safeParse(value).success
}

function invalidParameter(name: string, { schema }: Parameter, body: JsonObject): GatewayError {
  const { error } = schema?.safeParse(body[name]) ?? {}
  const issues = error?.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] })) ?? []
  return invalidRequest({ issues }, body)
}
