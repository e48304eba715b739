import { atPlaces, readDecimal } from "#contract/decimal.ts"
import { z } from "zod"
import type { GatewayError } from "../../canon/errors.ts"
import { emptyArray, expects, invalidRequest, invalidValue } from "../../canon/invalid-request.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import { once } from "../../canon/once.ts"
import {
  PRICE_LIMITS,
  type MaxPrice,
  type ProviderPreferences,
  SORTS,
  type RoutingPreferences,
} from "../request/routing-preferences.ts"

/** A body without members that only the gateway reads, and the preferences from these members. */
export interface TakenPreferences {
  readonly body: JsonObject
  readonly preferences: RoutingPreferences | undefined
}

/**
 * Maximum number of models. Each model may have several deployments, and the request may have to wait for each of them.
 */
const MAX_MODELS = 10
const MAX_PROVIDERS = 100
/** Number of decimal places of a price: nine for credits, and six for a multiplier. */
const PLACES = 15
const MAX_AMOUNT_LENGTH = 40
/** Maximum characters of a name in an error message. */
const MAX_NAME_LENGTH = 100

function names(most: number) {
  return z
    .array(z.string(expects("a string")), expects("an array of strings"))
    .max(most)
    .nullish()
}

/** The schemas, which are built for the first request with a preference. */
const SCHEMAS = once(() => {
  const amount = z.union([z.number(), z.string()], expects("a number")).nullish()
  const flag = z.boolean(expects("a boolean")).nullish()
  const provider = {
    order: names(MAX_PROVIDERS),
    only: names(MAX_PROVIDERS),
    ignore: names(MAX_PROVIDERS),
    sort: z
      .union(
        [
          z.enum(SORTS),
          z.object({ by: z.enum(SORTS).nullish(), partition: z.enum(["model", "none"]).nullish() }),
        ],
        expects("a string or an object"),
      )
      .nullish(),
    max_price: z
      .looseObject(
        Object.fromEntries(PRICE_LIMITS.map((name) => [name, amount])) as Record<
          (typeof PRICE_LIMITS)[number],
          typeof amount
        >,
        expects("an object"),
      )
      .nullish(),
    allow_fallbacks: flag,
    require_parameters: flag,
  }

  const preferences = z.object({
    models: names(MAX_MODELS),
    provider: z.looseObject(provider, expects("an object")).nullish(),
  })
  return { preferences, provider }
})

type WrittenProvider = NonNullable<z.output<ReturnType<typeof SCHEMAS>["preferences"]>["provider"]>

/**
 * Preferences of OpenRouter that this gateway cannot guarantee, with the values that request nothing. Other values are
 * rejected, so that callers do not rely on them, for example to prevent the storage of their data.
 */
const ASKING_NOTHING: Readonly<Record<string, readonly JsonValue[]>> = {
  data_collection: ["allow"],
  zdr: [false],
  enforce_distillable_text: [false],
}

/**
 * Removes `models` and `provider` from the body of a request. Only the gateway reads them, and no vendor receives them.
 * If the request names no model, the first of `models` is used.
 * @throws GatewayError that names the invalid field.
 */
export function takePreferences(body: JsonObject): TakenPreferences {
  if (body["models"] === undefined && body["provider"] === undefined) {
    return { body, preferences: undefined }
  }
  const { models, provider, ...rest } = body
  const written = SCHEMAS().preferences.safeParse({ models, provider })
  if (!written.success)
    throw invalidRequest(written.error, { models: models ?? null, provider: provider ?? null })
  const wanted = written.data
  const listed = listOf("models", wanted.models)
  const [first] = listed ?? []
  const isNamed = rest["model"] !== undefined
  return {
    body: isNamed || first === undefined ? rest : { ...rest, model: first },
    preferences: {
      ...(listed && { models: listed }),
      ...(wanted.provider && { provider: providerOf(wanted.provider) }),
      requiresParameters: wanted.provider?.require_parameters ?? false,
    },
  }
}

function providerOf(written: WrittenProvider): ProviderPreferences {
  const unknown = unknownIn("provider", written, Object.keys(SCHEMAS().provider))
  const order = listOf("provider.order", written.order)
  const only = listOf("provider.only", written.only)
  const ignore = written.ignore ?? []
  const both = ignore.findIndex((name) => only?.includes(name))
  if (both !== -1) {
    throw invalidValue(
      `provider.ignore[${both}]`,
      `'provider.only' and 'provider.ignore' both name the provider '${shownName(ignore[both])}'. Name it in one of them.`,
    )
  }
  const sort = typeof written.sort === "string" ? { by: written.sort } : written.sort
  const maxPrice = maxPriceOf(written.max_price)
  return {
    ...(order && { order }),
    ...(only && { only }),
    ...(ignore.length > 0 && { ignore }),
    ...(sort?.by && { sort: sort.by }),
    sortsAll: sort?.partition === "none",
    ...(maxPrice && { maxPrice }),
    allowsFallbacks: written.allow_fallbacks ?? true,
    unknown,
  }
}

/** Returns a list that must have elements. An empty list would exclude all deployments. */
function listOf(field: string, names: readonly string[] | null | undefined) {
  if (names?.length === 0) throw emptyArray(field)
  return names ?? undefined
}

function maxPriceOf(written: WrittenProvider["max_price"]): MaxPrice | undefined {
  if (!written) return undefined
  const [unknown] = unknownIn("provider.max_price", written, PRICE_LIMITS)
  if (unknown) throw unknown
  const limits = PRICE_LIMITS.flatMap((name) => {
    const amount = written[name]
    if (amount === null || amount === undefined) return []
    const limit = amountOf(`provider.max_price.${name}`, amount)
    // Prices of tokens are per million. Prices of requests and images are for one.
    const isOne = name === "request" || name === "image"
    return [[name, isOne ? limit * 1_000_000n : limit] as const]
  })
  return limits.length === 0 ? undefined : Object.fromEntries(limits)
}

/** Converts a price limit to an amount. It is rounded down, so that no deployment above the limit is called. */
function amountOf(field: string, amount: number | string): bigint {
  const text = typeof amount === "number" ? plainText(amount) : amount
  try {
    if (text.length > MAX_AMOUNT_LENGTH) throw new RangeError("too long")
    const { value, places } = readDecimal(text)
    if (value < 0n) throw new RangeError("negative")
    return places > PLACES
      ? value / 10n ** BigInt(places - PLACES)
      : atPlaces({ value, places }, PLACES)
  } catch {
    throw invalidValue(field, `'${field}' is an amount of credits, 0 or more, such as 2.50.`)
  }
}

/** Returns a number as plain digits, for any JSON notation of numbers. */
function plainText(amount: number): string {
  const text = String(amount)
  return text.includes("e-") ? amount.toFixed(MAX_AMOUNT_LENGTH / 2) : text
}

/**
 * Returns the errors for unknown fields.
 * @throws GatewayError for a guarantee about the caller's data that the gateway cannot give.
 */
function unknownIn(
  field: string,
  written: Readonly<Record<string, unknown>>,
  known: readonly string[],
): GatewayError[] {
  return Object.entries(written).flatMap(([name, value]) => {
    if (known.includes(name) || value === null || value === undefined) return []
    const harmless = Object.hasOwn(ASKING_NOTHING, name) ? ASKING_NOTHING[name] : undefined
    if (harmless?.some((one) => one === value)) return []
    const place = `${field}.${shownName(name)}`
    const error = invalidValue(
      place,
      `This gateway has no '${place}', so it cannot apply it. Omit it. '${field}' accepts ${known.join(", ")}.`,
    )
    if (harmless !== undefined) throw error
    return [error]
  })
}

function shownName(name = ""): string {
  return name.slice(0, MAX_NAME_LENGTH)
}
