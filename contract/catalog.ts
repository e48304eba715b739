import * as z from "zod"
import { type EffectiveRule, RULE_SOURCES } from "./effective-rules.ts"
import { MODEL_KIND_NAMES } from "./model-kinds.ts"
import { identifier, label, moment, page, pageQuery } from "./common.ts"
import { WEEKDAYS } from "./price-periods.ts"
import { RULE_NAMES } from "./rule-definitions.ts"

/**
 * Credits per million units as decimal text, by usage class: `{ "input": "0.1", "output": "0.4" }`.
 */
const priceTable = z.record(z.string(), z.string())
const effectiveRule = z.object({
  name: z.enum(RULE_NAMES),
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
  source: z.enum(RULE_SOURCES),
  note: z.string().nullable(),
}) satisfies z.ZodType<EffectiveRule>
/** Minimum number of seconds of audio charged per request; no minimum if absent. */
const minimumSeconds = z.int().optional()
const priceTiers = z.array(z.object({ above: z.int(), price: priceTable }))
/** The price in a service mode: either a factor on the token prices, or a separate table of token prices. */
const modePrice = z.union([z.string(), z.object({ price: priceTable, price_tiers: priceTiers })])
export type ModePrice = z.infer<typeof modePrice>
/** Prices of service modes, by the name of the mode. */
const priceModes = z.record(z.string(), modePrice)
/** A moment; null means no beginning or no end. */
const nullableMoment = moment.nullable()

/** A period with its own prices. A null member does not restrict the period. */
const pricePeriod = z.object({
  name: z.string().nullable(),
  from: nullableMoment,
  until: nullableMoment,
  /** The time zone of the period's days and hours; null means UTC. */
  zone: z.string().nullable(),
  days: z.array(z.enum(WEEKDAYS)).nullable(),
  hours: z.array(z.string()).nullable(),
  price: priceTable,
  price_tiers: priceTiers,
  price_images: priceTable.nullable(),
  minimum_seconds: minimumSeconds,
  /** The service modes whose prices differ from those outside the period. */
  modes: priceModes,
})
export type PricePeriod = z.infer<typeof pricePeriod>

export const modelKind = z.enum(MODEL_KIND_NAMES)

export const health = z.object({
  /** `failing`: the last request to the deployment failed; the next request is still sent to it. */
  state: z.enum(["unknown", "healthy", "failing", "cooling_down"]),
  /** Time of the next attempt for a deployment that is cooling down. */
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
  /** Unix seconds, as in `GET /v1/models`. */
  created: z.int(),
  context: z.int().nullable(),
  max_output: z.int().nullable(),
  /** Capabilities from the list of known models; null means unknown. */
  capabilities: z
    .object({
      /** Accepted input: `text`, `image`, `pdf`, `audio`, `video`; empty means unknown. */
      input: z.array(z.string()),
      tools: z.boolean(),
      reasoning: z.boolean(),
    })
    .nullable(),
  /**
   * Credits per million units, before the multiplier, outside all periods. If it is null, the model has no price and
   * requests are rejected.
   */
  price: priceTable.nullable(),
  /** Prices that apply to the entire request if its input is longer than `above` tokens. */
  price_tiers: priceTiers,
  /** Prices of a million images by size and quality; null if all images have the same price. */
  price_images: priceTable.nullable(),
  minimum_seconds: minimumSeconds,
  /** Prices of the service modes outside all periods. */
  price_modes: priceModes,
  /** Periods with other prices. */
  price_periods: z.array(pricePeriod),
  /**
   * The current price and the interval during which it applies; null if the price has no periods.
   */
  price_in_force: z
    .object({
      /** The name of the current period, `""` for an unnamed period; null outside all periods. */
      period: z.string().nullable(),
      from: nullableMoment,
      until: nullableMoment,
      price: priceTable,
      price_tiers: priceTiers,
      price_images: priceTable.nullable(),
      minimum_seconds: minimumSeconds,
    })
    .nullable(),
  /** The source of the model's price; null if the model has no price. */
  price_source: z
    .object({
      kind: z.enum(["known", "file", "console"]),
      /**
       * The matching entry in the list of known prices: `OpenAI: gpt-4o`; null unless the caller is
       * an operator.
       */
      name: z.string().nullable(),
      /** The date of the newest list with this price, or of the local setting. */
      date: z.iso.date().nullable(),
    })
    .nullable(),
  multiplier: z.string(),
  /** The endpoints that accept the model, such as `/v1/chat/completions`. */
  endpoints: z.array(z.string()),
  /**
   * The deployments of the model; empty unless the caller is an operator. `model` is the provider's own name for the
   * model.
   */
  deployments: z.array(
    z.object({
      provider: z.string(),
      model: z.string(),
      /**
       * Requests are distributed among deployments with weights above 0. Deployments with weight 0 are tried
       * afterwards, in this order.
       */
      weight: z.number(),
      /** Whether the operator has paused the deployment, so that it receives no requests. */
      is_paused: z.boolean(),
      health,
      /** The rules of the deployment's model, with their sources; empty unless the caller is an operator. */
      rules: z.array(effectiveRule),
    }),
  ),
  /**
   * The models of a group in the order of the settings, and how a model is selected. Null if the model is not a group.
   */
  group: z
    .object({
      strategy: z.enum(["weight", "order", "price", "latency", "least_busy"]),
      members: z.array(z.object({ model: z.string(), weight: z.number() })),
    })
    .nullable(),
  /** The source of the model's entry. The console cannot edit `file` and `environment` entries. */
  origin: z.enum(["known", "file", "console"]),
  is_locked: z.boolean(),
  /** Known prices of the model that are not active and can be applied; null if there are none. */
  known_price: priceTable.nullable(),
  /**
   * The known price as a complete entry for `PUT`, including tiers, and the model that the price belongs to. Prefer
   * this member to `known_price`, which is null if a flat table cannot express the price.
   */
  known_entry: z
    .object({ kind: modelKind, price: z.record(z.string(), z.unknown()), source: z.string() })
    .nullable(),
  /** The entry that the console has set; null if there is none, or if the caller is not an operator. */
  entry: z.record(z.string(), z.unknown()).nullable(),
})
export type Model = z.infer<typeof model>
export const modelPage = page(model)

/** A requested model that is newer than the price list. */
const newerModel = z.object({
  id: z.string(),
  kind: modelKind,
  /** Number of requests for the model that were rejected in the last days. */
  requests: z.int(),
  last_at: moment,
  /**
   * The price that applies with `unknown_models: family`: the highest price of the model's family, before the
   * multiplier.
   */
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
  /** The account whose prices are shown. Defaults to the default prices. */
  account: identifier.optional(),
})

/** The body of `PUT /admin/v1/models/{id}` (operators): an entry as in `tollgate.yaml`. `DELETE` removes the entry. */
export const modelEntry = z.looseObject({
  kind: modelKind.optional(),
  /** The price as in `tollgate.yaml`: prices by class, and `tiers`. `image` may be a table. */
  price: z.record(z.string(), z.unknown()).optional(),
  multiplier: z.string().optional(),
  context: z.int().optional(),
  max_output: z.int().optional(),
  /** Overrides of individual rules by name: `{ "max_tokens_field": "max_tokens" }`. */
  rules: z.record(z.string(), z.unknown()).optional(),
})
export type ModelEntry = z.infer<typeof modelEntry>

/**
 * The body of `POST /admin/v1/models/test` (operators), which checks each provider of a model. The check calls no model
 * and costs nothing.
 */
export const modelTestQuestion = z.object({ model: z.string().min(1).max(200) })
export const modelTest = z.object({
  object: z.literal("list"),
  data: z.array(
    z.object({
      provider: z.string(),
      model: z.string(),
      is_paused: z.boolean(),
      ok: z.boolean(),
      /** Whether the provider lists the model; null if the provider has no list. */
      is_listed: z.boolean().nullable(),
      /** The result in one sentence. If the test failed, the message also contains the next step. */
      message: z.string(),
      duration_ms: z.int(),
    }),
  ),
})
export type ModelTest = z.infer<typeof modelTest>

/** A provider without its secrets. */
export const provider = z.object({
  id: identifier,
  vendor: z.string(),
  vendor_name: z.string(),
  base_url: z.string().nullable(),
  region: z.string().nullable(),
  /** The names of the secrets that are set, never their values. */
  secrets: z.array(z.string()),
  /** The names and weights of the `api_keys`. */
  credentials: z.array(z.object({ name: z.string(), weight: z.number() })),
  known_models: z.boolean(),
  origin: z.enum(["file", "environment", "sandbox", "console"]),
  /** Whether the console cannot change the provider. False only for providers that were added in the console. */
  is_locked: z.boolean(),
  models: z.int(),
  unpriced_models: z.int(),
  health,
  /** The problem that prevents the provider's use, and the next step; null if the provider works. */
  problem: z.string().nullable(),
  /** The entry that the console has set, without secrets; null for other providers. */
  entry: z.record(z.string(), z.unknown()).nullable(),
})
export type Provider = z.infer<typeof provider>
export const providerPage = page(provider)

/**
 * The body of `POST /admin/v1/providers` and `PATCH /admin/v1/providers/{id}`: an entry as in `tollgate.yaml`. In a
 * change, absent members stay as they are and null removes a member. `DELETE` removes a provider with its models'
 * entries. Secrets are encrypted on disk and never returned. `api_keys` is replaced completely. An entry without a
 * credential keeps the credential that is stored under its `name`, or under its former name, `was`. If the provider has
 * a single `api_key`, an entry without a credential keeps this key.
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
    .regex(
      /^[a-z0-9][a-z0-9-]{0,39}$/,
      "must be lowercase letters, digits and hyphens, at most 40",
    ),
  vendor: identifier,
})
export type NewProvider = z.infer<typeof newProvider>

/**
 * A vendor in the response of `GET /admin/v1/providers/vendors`, which lists the vendors that can be added and the
 * fields of each.
 */
export const vendor = z.object({
  id: identifier,
  name: label,
  /** The vendor's own address; null if the vendor has no address of its own. */
  base_url: z.string().nullable(),
  /** The fields of the vendor's form, in order. */
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

/** The response of `POST /admin/v1/providers/{id}/test`. */
export const providerTest = z.object({
  ok: z.boolean(),
  /** The result in one sentence. If the test failed, the message also contains the next step. */
  message: z.string(),
  duration_ms: z.int(),
  /** At most 1,000 models in the provider's own list; null if the provider has no list. The message counts all. */
  models: z.array(z.string()).nullable(),
})
export type ProviderTest = z.infer<typeof providerTest>
