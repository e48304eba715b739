import type * as z from "zod"
import type { ChatRequest } from "../../canon/chat.ts"
import type { Feature, Support } from "../../canon/features.ts"
import { isDefined, type JsonObject, type JsonValue } from "../../canon/json.ts"
import type { Writable } from "../../canon/writable.ts"

/** The feature name of each scalar parameter of the canon. */
const FEATURE_NAMES = {
  choices: "n",
  maxTokens: "max_tokens",
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  stop: "stop",
  seed: "seed",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  logprobs: "logprobs",
  topLogprobs: "logprobs",
  verbosity: "verbosity",
  user: "user",
  safetyIdentifier: "safety_identifier",
  metadata: "metadata",
  serviceTier: "service_tier",
  promptCacheKey: "prompt_cache_key",
} as const satisfies Partial<Record<keyof ChatRequest, Feature>>

type ScalarName = keyof typeof FEATURE_NAMES
type FeatureOf<Name extends ScalarName> = (typeof FEATURE_NAMES)[Name]
type Value<Name extends ScalarName> = NonNullable<ChatRequest[Name]>
type Sent<Schema extends z.ZodType> = NonNullable<z.infer<Schema>>

interface Options<Name extends ScalarName, Wire, Quirks> {
  /** Converts a valid value; undefined counts as absent. If this function is absent, the value is copied. */
  decode?(value: Wire): Value<Name> | undefined
  /**
   * Returns how a vendor with these quirks supports the parameter. If this function is absent, the parameter is
   * carried.
   */
  support?(quirks: Quirks): Support
}

/** One parameter of a dialect. */
export interface Scalar<
  Name extends ScalarName = ScalarName,
  Schema = z.ZodType,
  Quirks = never,
> extends Options<Name, unknown, Quirks> {
  /** The name of the member in `ChatRequest`. */
  readonly name: Name
  /** Creates the schema, which is needed only when the endpoint receives its first request. */
  readonly schema: () => Schema
}

/** The scalar parameters of a dialect, by their names in the body. */
export type ScalarTable<Name extends ScalarName = ScalarName, Quirks = never> = Readonly<
  Record<string, Scalar<Name, z.ZodType, Quirks>>
>

/** Declares a parameter whose values are the same in the canon. */
export function scalar<
  const Name extends ScalarName,
  Schema extends z.ZodType<Value<Name> | null | undefined>,
  Quirks = unknown,
>(
  name: Name,
  schema: () => Schema,
  options?: Options<Name, Sent<Schema>, Quirks>,
): Scalar<Name, Schema, Quirks>
/** Declares a parameter whose values are converted. */
export function scalar<const Name extends ScalarName, Schema extends z.ZodType, Quirks = unknown>(
  name: Name,
  schema: () => Schema,
  options: Options<Name, Sent<Schema>, Quirks> & { decode(value: Sent<Schema>): unknown },
): Scalar<Name, Schema, Quirks>
export function scalar(name: ScalarName, schema: () => z.ZodType, options: object = {}): Scalar {
  return { name, schema, ...options }
}

/** Creates the schemas of a table. */
export function schemasOf<Fields extends ScalarTable>(
  table: Fields,
): { [Field in keyof Fields]: ReturnType<Fields[Field]["schema"]> } {
  const schemas = Object.entries(table).map(([field, { schema }]) => [field, schema()])
  return Object.fromEntries(schemas) as {
    [Field in keyof Fields]: ReturnType<Fields[Field]["schema"]>
  }
}

/** Copies the scalars of a validated object to a request. */
export function setScalars(
  request: Writable<ChatRequest>,
  table: ScalarTable,
  object: JsonObject,
): void {
  for (const field in table) {
    const value = object[field]
    const scalar = table[field]
    if (scalar !== undefined && isDefined(value)) setScalar(request, scalar, value)
  }
}

/** Copies a valid value to a request. */
export function setScalar(request: Writable<ChatRequest>, scalar: Scalar, value: JsonValue): void {
  const decoded = scalar.decode === undefined ? value : scalar.decode(value)
  if (decoded !== undefined) request[scalar.name] = decoded as never
}

/** Decodes stop sequences, which are a list or a single string. An empty list has no effect. */
export function decodeStop(stop: string | string[]): string[] | undefined {
  if (stop.length === 0) return undefined
  return typeof stop === "string" ? [stop] : stop
}

/** Returns how a vendor with these quirks supports the parameters of a table. */
export function supportOfScalars<Name extends ScalarName, Quirks>(
  table: ScalarTable<Name, Quirks>,
  quirks: Quirks,
): Record<FeatureOf<Name>, Support> {
  const rows = Object.values(table).map((row) => [
    FEATURE_NAMES[row.name],
    row.support?.(quirks) ?? "carried",
  ])
  return Object.fromEntries(rows) as Record<FeatureOf<Name>, Support>
}

/** Returns the features that callers can use with the parameters of a table. */
export function featuresOf(table: ScalarTable): Feature[] {
  return Object.values(table).map(({ name }) => FEATURE_NAMES[name])
}
