import * as z from "zod"
import { effectiveRule } from "./effective-rules.ts"
import { MODEL_KIND_NAMES } from "./model-kinds.ts"
import { identifier, label, moment, page, pageQuery } from "./common.ts"
import { WEEKDAYS } from "./price-periods.ts"

/** Decimal text of credits per million units, by class of usage: `{ "input": "0.1", "output": "0.4" }`. */
const priceTable = z.record(z.string(), z.string())
/** Minimum seconds of audio charged per request; absent without a minimum. */
const minimumSeconds = z.int().optional()
const priceTiers = z.array(z.object({ above: z.int(), price: priceTable }))
/** In a mode of service: a factor on the prices of tokens, or their prices. */
const modePrice = z.union([z.string(), z.object({ price: priceTable, price_tiers: priceTiers })])
export type ModePrice = z.infer<typeof modePrice>
/** By the name of the mode. */
const priceModes = z.record(z.string(), modePrice)
/** Null: no beginning or no end. */
const momentOrNone = moment.nullable()

/** A time with its own prices; null members do not limit it. */
const pricePeriod = z.object({
  name: z.string().nullable(),
  from: momentOrNone,
  until: momentOrNone,
  /** The time zone of its days and hours; null: UTC. */
  zone: z.string().nullable(),
  days: z.array(z.enum(WEEKDAYS)).nullable(),
  hours: z.array(z.string()).nullable(),
  price: priceTable,
  price_tiers: priceTiers,
  price_pictures: priceTable.nullable(),
  minimum_seconds: minimumSeconds,
  /** The modes of service that differ from those outside of the period. */
  modes: priceModes,
})
export type PricePeriod = z.infer<typeof pricePeriod>

export const modelKind = z.enum(MODEL_KIND_NAMES)

export const health = z.object({
  /** `failing`: its last request failed, and the next one is tried there all the same. */
  state: z.enum(["unknown", "healthy", "failing", "resting"]),
  /** When a resting one is tried again. */
  until: z.string().nullable(),
  successes: z.int(),
  failures: z.int(),
  last_error: z.string().nullable(),
})
export type Health = z.infer<typeof health>

export const model = z.object({
  id: z.string(),
  provider: z.string(),
  name: z.string(),
  kind: modelKind,
  owned_by: z.string(),
  context: z.int().nullable(),
  max_output: z.int().nullable(),
  /** As the known models say it; null: nothing is known. */
  capabilities: z
    .object({
      /** What it takes: `text`, `image`, `pdf`, `audio`, `video`; empty: nobody says. */
      input: z.array(z.string()),
      tools: z.boolean(),
      reasoning: z.boolean(),
    })
    .nullable(),
  /** Credits per million units, before the multiplier, outside of all periods; null: unpriced, and rejected. */
  price: priceTable.nullable(),
  /** Prices of whole requests whose input is longer than `above` tokens. */
  price_tiers: priceTiers,
  /** Prices of a million images by size and quality, where they differ. */
  price_pictures: priceTable.nullable(),
  minimum_seconds: minimumSeconds,
  /** The modes of service outside of all periods. */
  price_modes: priceModes,
  /** Times with other prices. */
  price_periods: z.array(pricePeriod),
  /** The current price, and the time during which it applies; null if the price has no periods. */
  price_in_force: z
    .object({
      /** The name of the period, `""` for a period without a name; null outside of all periods. */
      period: z.string().nullable(),
      from: momentOrNone,
      until: momentOrNone,
      price: priceTable,
      price_tiers: priceTiers,
      price_pictures: priceTable.nullable(),
      minimum_seconds: minimumSeconds,
    })
    .nullable(),
  /** Where its price comes from; null where it has none. */
  price_source: z
    .object({
      kind: z.enum(["known", "file", "console"]),
      /** Whose price in the list of known ones: `OpenAI: gpt-4o`; null for those who are no operators. */
      name: z.string().nullable(),
      /** The day of the newest list that says so, or on which it was set here. */
      date: z.iso.date().nullable(),
    })
    .nullable(),
  multiplier: z.string(),
  /** The endpoints that it answers on: `/v1/chat/completions`. */
  endpoints: z.array(z.string()),
  /** `model` is the provider's own name for it; empty for those who are no operators. */
  deployments: z.array(
    z.object({
      provider: z.string(),
      model: z.string(),
      /** Of those above 0 requests are shared; those of 0 are tried after them, in this order. */
      weight: z.number(),
      /** No request goes there. */
      is_paused: z.boolean(),
      health,
      /** The rules of its model, and their sources; empty unless the caller is an operator. */
      rules: z.array(effectiveRule),
    }),
  ),
  /** Of a group: the models any of which may answer, in the order of the settings, and how one is chosen. Null: it is one model. */
  group: z
    .object({
      choice: z.enum(["weight", "order", "price", "latency", "least_busy"]),
      members: z.array(z.object({ model: z.string(), weight: z.number() })),
    })
    .nullable(),
  /** Where its entry comes from; `file` and `environment` ones are locked in the console. */
  origin: z.enum(["known", "file", "console"]),
  is_locked: z.boolean(),
  /** Prices that are known for it and not active, ready for one click; null where there are none. */
  known_price: priceTable.nullable(),
  /**
   * The same as a whole entry to `PUT`, with tiers where there are some, and whose price it is. Prefer it to
   * `known_price`, which is null where a flat table could not say all.
   */
  known_entry: z
    .object({ kind: modelKind, price: z.record(z.string(), z.unknown()), source: z.string() })
    .nullable(),
  /** What the console has set, as it was put; null where it has not, and for those who are no operators. */
  entry: z.record(z.string(), z.unknown()).nullable(),
})
export type Model = z.infer<typeof model>
export const modelPage = page(model)

/** A requested model that is newer than the price list. */
const newerModel = z.object({
  id: z.string(),
  kind: modelKind,
  /** Rejected requests for it in the last days. */
  requests: z.int(),
  last_at: moment,
  /** Price with `unknown_models: family`: the highest of its family, before the multiplier. */
  price: priceTable,
})
export type NewerModel = z.infer<typeof newerModel>
export const newerModelList = z.object({ object: z.literal("list"), data: z.array(newerModel) })
export const modelQuery = pageQuery.extend({
  limit: z.coerce.number<number>().int().min(1).max(10_000).default(2_000),
  search: z.string().max(100).optional(),
  kind: modelKind.optional(),
  provider: z.string().max(100).optional(),
  priced: z.enum(["true", "false"]).optional(),
  /** At the prices of this account; absent: those that everyone pays. */
  account: identifier.optional(),
})

/** `PUT /admin/v1/models/{id}` (operators): an entry as in `tollgate.yaml`; `DELETE` takes it back. */
export const modelEntry = z.looseObject({
  kind: modelKind.optional(),
  /** As in `tollgate.yaml`: classes with prices, and `tiers`; `image` may be a table. */
  price: z.record(z.string(), z.unknown()).optional(),
  multiplier: z.string().optional(),
  context: z.int().optional(),
  max_output: z.int().optional(),
  /** Overrides of single rules, by their names: `{ "max_tokens_field": "max_tokens" }`. */
  rules: z.record(z.string(), z.unknown()).optional(),
})
export type ModelEntry = z.infer<typeof modelEntry>

/** `POST /admin/v1/models/test` (operators): asks each provider of a model; no model answers, and nothing is charged. */
export const modelTestQuestion = z.object({ model: z.string().min(1).max(200) })
export const modelTest = z.object({
  object: z.literal("list"),
  data: z.array(
    z.object({
      provider: z.string(),
      model: z.string(),
      is_paused: z.boolean(),
      ok: z.boolean(),
      /** Whether the provider's own list names the model; null where it has no list. */
      is_listed: z.boolean().nullable(),
      /** What was found, in a sentence; on failure what to do. */
      message: z.string(),
      duration_ms: z.int(),
    }),
  ),
})
export type ModelTest = z.infer<typeof modelTest>

/** Providers without their secrets. */
export const provider = z.object({
  id: identifier,
  vendor: z.string(),
  vendor_name: z.string(),
  base_url: z.string().nullable(),
  region: z.string().nullable(),
  /** Which secrets are set; never what they are. */
  secrets: z.array(z.string()),
  /** Of several keys, `api_keys`: what they are called, and the share of the requests that each has. */
  credentials: z.array(z.object({ name: z.string(), weight: z.number() })),
  known_models: z.boolean(),
  origin: z.enum(["file", "environment", "sandbox", "console"]),
  /** Those that do not come from the console can only be changed where they come from. */
  is_locked: z.boolean(),
  models: z.int(),
  unpriced_models: z.int(),
  health,
  /** Why it cannot be used, and what to do; null where it can. */
  problem: z.string().nullable(),
  /** What the console has set, without its secrets; null for providers from elsewhere. */
  entry: z.record(z.string(), z.unknown()).nullable(),
})
export type Provider = z.infer<typeof provider>
export const providerPage = page(provider)

/**
 * `POST /admin/v1/providers`, `PATCH /admin/v1/providers/{id}`: an entry as in `tollgate.yaml`. In a change
 * an absent member stays as it is and null takes one away. `DELETE` removes one with its models' entries. Secrets are encrypted on disk and never returned.
 * `api_keys` is replaced as a whole: an entry without a credential means the one that is stored under its `name`, or under
 * the name `was`; of a provider with one `api_key` it means that.
 */
export const providerEntry = z.looseObject({
  vendor: identifier.optional(),
  api_key: z.string().max(10_000).nullable().optional(),
  base_url: z.string().max(500).nullable().optional(),
  known_models: z.boolean().optional(),
})
export const newProvider = providerEntry.extend({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "must be small letters, digits and hyphens, at most 40"),
  vendor: identifier,
})
export type NewProvider = z.infer<typeof newProvider>

/** `GET /admin/v1/providers/vendors`: what can be added, and what each one asks for. */
export const vendor = z.object({
  id: identifier,
  name: label,
  /** Its own address, if it has one. */
  base_url: z.string().nullable(),
  /** The fields of its form, in order. */
  fields: z.array(
    z.object({
      name: z.string(),
      label: z.string(),
      is_required: z.boolean(),
      is_secret: z.boolean(),
      placeholder: z.string().nullable(),
    }),
  ),
})
export type Vendor = z.infer<typeof vendor>

/** `POST /admin/v1/providers/{id}/test` */
export const providerTest = z.object({
  ok: z.boolean(),
  /** What was found, in a sentence; on failure what to do. */
  message: z.string(),
  duration_ms: z.int(),
  /** What its own list of models names, when it has one. */
  models: z.array(z.string()).nullable(),
})
export type ProviderTest = z.infer<typeof providerTest>
