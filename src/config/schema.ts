import {
  PRICE_NAMES,
  type PriceName,
  SERVICE_PRICE_NAMES,
  type ServicePriceName,
} from "#contract/usage-classes.ts"
import { z } from "zod"
import { ALIAS_PATTERN, aliasText, MODEL_ID_PATTERN } from "./aliases.ts"
import {
  Fault,
  accountName,
  address,
  amount,
  minimumSeconds,
  baseAddress,
  duration,
  durationOrOff,
  flag,
  host,
  moment,
  network,
  number,
  oneOf,
  pageOrigin,
  placeName,
  readText,
  reading,
  secret,
  text,
} from "./scalars.ts"
import { databaseScalars } from "./database-settings.ts"
import { backupScalars } from "./backup-settings.ts"
import { retentionScalars } from "./retention-settings.ts"
import { dayHours, periodScalars, weekday } from "./price-periods.ts"
import { priceScalars } from "./price-settings.ts"
import { modelRuleScalars } from "./model-rule-settings.ts"
import { metricScalars } from "./metric-settings.ts"
import { hasWholeMail, noticeScalars } from "./notice-settings.ts"
import {
  lineAddressScalars,
  lineBucketScalars,
  lineFileScalars,
  logScalars,
} from "./log-settings.ts"
import { paymentScalars } from "./payment-settings.ts"
import { oidcScalars } from "./sign-in-settings.ts"
import { templateScalars } from "./template-settings.ts"
import { telemetryScalars } from "./telemetry-settings.ts"
import { suggestion } from "./nearest.ts"
import { readGoogleCredentials } from "./google-credentials.ts"
import {
  CHOICES,
  DISCONNECTS,
  MODEL_KINDS,
  IMAGE_RULES,
  MASK_RULES,
  VENDOR_STATE_RULES,
} from "./settings.ts"
import type { VendorSetting } from "./vendors.ts"
import { YamlNumber } from "./yaml-file.ts"

/** The names that settings may refer to. */
export interface KnownNames {
  readonly vendors: readonly string[]
  readonly providers: readonly string[]
  readonly dialects: readonly string[]
}

/** Each makes a deployment of every model of its provider. */
const MOST_CREDENTIALS = 100
const TOO_MANY = `has more than ${MOST_CREDENTIALS} entries. Make another provider of the rest`
const PRICE_PLACES = 9
const UNPRICED_FEATURES = ["refuse", "pass"] as const
const UNKNOWN_MODELS = ["refuse", "family"] as const
const MULTIPLIER_PLACES = 6

/** Headers that belong to the connection, not to the request. */
const CONNECTION_HEADERS = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
])

/** An object with known names only. An unknown one is reported with the known names as its message. */
function strict<Shape extends z.core.$ZodShape>(shape: Shape) {
  const object = z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? Object.keys(shape).join(" ") : structureFault(issue),
  })
  return z.preprocess((input) => (input instanceof YamlNumber ? NaN : input), object)
}

/** A section whose lines are all commented out counts as absent. */
function section<Shape extends z.core.$ZodShape>(shape: Shape) {
  return strict(shape).nullish()
}

function record<Value extends z.core.$ZodType>(names: z.ZodType<string, string>, value: Value) {
  return z.record(names, value, { error: structureFault })
}

function list<Item extends z.core.$ZodType>(item: Item) {
  return z.array(item, { error: structureFault }).min(1, "is empty. Give it an entry, or remove it")
}

/** A plain value, or names with values. */
function either<Plain, Table>(plain: z.ZodType<Plain>, table: z.ZodType<Table>) {
  return z.unknown().transform((input, context): Plain | Table => {
    const isPlain = typeof input !== "object" || input === null || input instanceof YamlNumber
    const { data, error } = isPlain ? plain.safeParse(input) : table.safeParse(input)
    if (data !== undefined) return data
    for (const issue of error?.issues ?? []) {
      context.issues.push({ ...issue, input } as z.core.$ZodRawIssue)
    }
    return z.NEVER
  })
}

function structureFault(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== "invalid_type") return undefined
  if (issue.input === undefined) return "is missing"
  const wanted = issue.expected === "array" ? "a list" : "names with values"
  if (issue.input === null) return `has no value. Give it ${wanted}, or remove the line`
  return `must hold ${wanted}, not ${typeof issue.input === "number" ? "a number" : "this"}`
}

function name(pattern: RegExp, wanted: string) {
  return z.string().regex(pattern, wanted)
}

const PROVIDER_ID = name(
  /^[a-z0-9][a-z0-9-]*$/,
  "the name of a provider must be small letters, digits and hyphens, such as my-openai",
)
const CREDENTIAL_NAME = name(
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/,
  "must be letters, digits, hyphens and underscores, at most 40, such as backup",
)
const MODEL_ID = name(
  MODEL_ID_PATTERN,
  "the name of a model must be <provider>/<name>, without spaces, such as local/llama",
)
const MODEL_GLOB = name(
  /^[^\s\p{C}]{1,200}$/u,
  "must be the id of a model, or a pattern of ids such as openai/*",
)
const PRICE_GROUP_ID = name(
  /^[a-z0-9][a-z0-9-]{0,62}$/,
  "the id of a price group must be small letters, digits and hyphens, such as partners",
)
const TEMPLATE_NAME = name(
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/,
  "must be a name of letters, digits, '-' and '_'",
)
const ALIAS = name(
  ALIAS_PATTERN,
  "an alias must be a name without spaces, commas and equals signs, such as gpt-4o",
)
const HEADER_NAME = name(
  /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/,
  "this is no valid name of a header",
).refine(
  (header) => !CONNECTION_HEADERS.has(header.toLowerCase()),
  "this header is set by the gateway itself. Remove it",
)

const headerValue = reading((input) => {
  const value = readText(input)
  if (value instanceof Fault || /^[\t -~\u0080-\u00ff]+$/.test(value)) return value
  return new Fault("must be one line of printable characters")
})

/** A name that people read, on one line. */
function label() {
  return reading((input) => {
    const value = readText(input)
    if (value instanceof Fault) return value
    return /^[^\p{C}]{1,100}$/u.test(value) ? value : new Fault("must have at most 100 characters")
  })
}

const template = strict({ ...templateScalars, models: list(text()).optional() })

function headers() {
  return record(HEADER_NAME, headerValue).nullish()
}

const telemetry = { ...telemetryScalars, headers: headers() }

const rate = amount(PRICE_PLACES).optional()
const rates = Object.fromEntries(PRICE_NAMES.map((name) => [name, rate])) as Record<
  PriceName,
  typeof rate
>
const count = number(1, Infinity, "whole number")
const tier = strict({ above: count, ...rates })
/** One price for all images, or one for each of their kinds. */
const imagePrice = either(
  amount(PRICE_PLACES),
  record(
    name(
      /^(default|([1-9]\d*x[1-9]\d*)(\/[\w-]+)?|[a-z][\w-]*)$/,
      "a kind of picture is a size, a quality or both, such as 1024x1024/hd, or default",
    ),
    amount(PRICE_PLACES),
  ),
)
const multiplier = amount(MULTIPLIER_PLACES)
const modes = record(
  name(
    /^[a-z][a-z0-9_-]*$/,
    "a mode of service has a name in small letters, such as priority, flex or fast",
  ),
  multiplier,
)
const card = {
  ...rates,
  image: imagePrice.optional(),
  minimum_seconds: minimumSeconds().optional(),
  tiers: list(tier).optional(),
  modes: modes.optional(),
}
const period = strict({
  name: label().optional(),
  ...periodScalars,
  days: list(weekday).optional(),
  hours: list(dayHours).optional(),
  ...card,
})
const price = strict({ ...card, periods: list(period).optional() })
const servicePrices = strict({
  ...(Object.fromEntries(SERVICE_PRICE_NAMES.map((service) => [service, rate])) as Record<
    ServicePriceName,
    typeof rate
  >),
  modes: modes.optional(),
})

/**
 * The schema of each setting that only some vendors have.
 * @param directory what a relative path is relative to.
 */
export function vendorScalars(directory: string) {
  const credentials = reading((input) => {
    const text = readText(input)
    return text instanceof Fault ? text : readGoogleCredentials(text, directory)
  })
  return {
    api_key: secret().optional(),
    account: accountName().optional(),
    region: placeName("us-east-1").optional(),
    project: placeName("my-project").optional(),
    location: placeName("europe-west4").optional(),
    credentials: credentials.optional(),
    access_key_id: secret().optional(),
    secret_access_key: secret().optional(),
    session_token: secret().optional(),
    identity: oneOf(["machine"], "identity").optional(),
  } satisfies Record<VendorSetting, z.ZodType>
}

/** A key alone, or a credential with a name and a weight. */
function credentialSchema(directory: string) {
  const {
    account: _account,
    region: _,
    location: _location,
    identity: _identity,
    ...credential
  } = vendorScalars(directory)
  const whole = strict({
    name: CREDENTIAL_NAME.optional(),
    weight: number(0, 1_000_000).optional(),
    ...credential,
  })
  const alone = secret().transform((key): z.output<typeof whole> => ({ api_key: key }))
  return either(alone, whole)
}

function providerSchema(names: KnownNames, directory: string) {
  const provider = strict({
    vendor: oneOf(names.vendors, "vendor"),
    ...vendorScalars(directory),
    api_keys: list(credentialSchema(directory)).max(MOST_CREDENTIALS, TOO_MANY).optional(),
    base_url: baseAddress().optional(),
    headers: headers(),
    prices: servicePrices.optional(),
    known_models: flag().optional(),
    // The vendor says which ones it speaks.
    dialects: list(text()).optional(),
  })
  return provider.superRefine(({ credentials, project, api_keys = [] }, context) => {
    const several = api_keys.map((key, index) => ({ path: ["api_keys", index], ...key }))
    for (const one of [{ path: [], credentials, project }, ...several]) {
      if (one.credentials === undefined || one.credentials.projectId !== undefined) continue
      if ((one.project ?? project) !== undefined) continue
      const message = "needs a project, since its credentials name none"
      context.addIssue({ code: "custom", path: one.path, message })
    }
  })
}

function dialects(names: KnownNames) {
  return list(oneOf(names.dialects, "dialect")).optional()
}

const modelRules = strict(modelRuleScalars)

function deploymentSchema(names: KnownNames) {
  const provider = reading((input) => {
    const text = readText(input)
    if (text instanceof Fault || names.providers.includes(text)) return text
    const hint = suggestion(text, names.providers) || " Add it under 'providers'."
    return new Fault(`is no configured provider.${hint}`)
  })
  return strict({
    provider: provider.optional(),
    model: text().optional(),
    weight: number(0, 1_000_000).optional(),
    paused: flag().optional(),
    price: price.optional(),
    dialects: dialects(names),
    rules: modelRules.optional(),
  })
}

const member = either(
  reading((input) => {
    const id = readText(input)
    if (id instanceof Fault || MODEL_ID_PATTERN.test(id)) return id
    return new Fault("must be the id of a model, such as local/llama")
  }),
  strict({ model: MODEL_ID, weight: number(0, 1_000_000).optional() }),
)

function modelSchema(names: KnownNames) {
  return strict({
    kind: oneOf(MODEL_KINDS, "kind of model").optional(),
    price: price.optional(),
    multiplier: multiplier.optional(),
    context: count.optional(),
    max_output: count.optional(),
    max_input: count.optional(),
    own_searches: number(1, 1_000, "whole number").optional(),
    owned_by: text().optional(),
    disconnect: oneOf(DISCONNECTS, "way to end").optional(),
    choice: oneOf(CHOICES, "choice").optional(),
    hedge: flag().optional(),
    dialects: dialects(names),
    rules: modelRules.optional(),
    deployments: list(deploymentSchema(names)).optional(),
    members: list(member).optional(),
  })
}

const priceTerm = strict({
  from: moment(),
  multiplier: multiplier.optional(),
  prices: record(MODEL_GLOB, price).optional(),
})
const priceGroup = strict({ name: label().optional(), terms: list(priceTerm) })

function haveOwnIds(entries: readonly { readonly id: string }[]): boolean {
  return new Set(entries.map(({ id }) => id)).size === entries.length
}

function serverScalars() {
  return {
    host: host().optional(),
    port: number(0, 65_535, "whole number").optional(),
    workers: number(1, 256, "whole number").optional(),
    drain_delay: durationOrOff().optional(),
    drain: durationOrOff().optional(),
    watchdog: durationOrOff().optional(),
    public_url: address().optional(),
    trusted_proxies: list(network()).optional(),
  }
}

function imageScalars() {
  return {
    link_minutes: number(1, 10_080).optional(),
    mask: oneOf(MASK_RULES, "rule").optional(),
    rules: oneOf(IMAGE_RULES, "rules").optional(),
    s3: strict({
      bucket: text(),
      endpoint: address().optional(),
      region: placeName("us-east-1").optional(),
      access_key_id: secret(),
      secret_access_key: secret(),
    }).optional(),
  }
}

const DEFAULT_MODELS = {
  image_model: MODEL_ID.optional(),
  translation_model: MODEL_ID.optional(),
}

function routingScalars() {
  return {
    choice: oneOf(CHOICES, "choice").optional(),
    affinity: flag().optional(),
    retries: number(0, 3, "whole number").optional(),
    hedge: flag().optional(),
  }
}

/**
 * The shape of `tollgate.yaml`.
 * @param directory where the file is.
 */
export function fileSchema(names: KnownNames, directory: string) {
  return strict({
    server: section(serverScalars()),
    data: text().optional(),
    database: section(databaseScalars),
    admin_token: secret().optional(),
    console: section({
      oidc: list(strict({ ...oidcScalars, scopes: list(text()).optional() }))
        .refine(haveOwnIds, "has two entries with the same id. Rename one of them")
        .optional(),
      trusted_origins: list(address()).optional(),
    }),
    cors: section({ origins: list(pageOrigin()).optional() }),
    stripe: section(paymentScalars),
    limits: section({
      body_mb: number(1, 512).optional(),
      answer_mb: number(1, 1024).optional(),
      memory_mb: number(64, 1_048_576).optional(),
      media_mb: number(1, 512).optional(),
      media_private: flag().optional(),
    }),
    deadlines: section({
      connect: duration().optional(),
      first_byte: duration().optional(),
      between_bytes: duration().optional(),
      whole: duration().optional(),
    }),
    idempotency: section({
      answer_mb: number(0, 1_024).optional(),
      account_mb: number(0, 1_048_576).optional(),
      total_mb: number(0, 1_048_576).optional(),
    }),
    retention: section(retentionScalars),
    backup: section(backupScalars),
    notices: section(noticeScalars).refine(
      (notices) => notices === null || notices === undefined || hasWholeMail(notices),
      "needs both smtp and from to send mail. Add the other one",
    ),
    log: section({
      ...logScalars,
      file: section(lineFileScalars),
      http: section({ ...lineAddressScalars, headers: headers() }),
      s3: section(lineBucketScalars),
    }),
    metrics: section(metricScalars),
    telemetry: section(telemetry),
    prices: section(priceScalars),
    responses: section({
      keep: durationOrOff().optional(),
      account_mb: number(0, 1_048_576).optional(),
      total_mb: number(0, 1_048_576).optional(),
    }),
    routing: section(routingScalars()),
    disconnect: oneOf(DISCONNECTS, "way to end").optional(),
    disconnect_limit: duration().optional(),
    images: section(imageScalars()),
    defaults: section(DEFAULT_MODELS),
    multiplier: multiplier.optional(),
    unpriced_features: oneOf(UNPRICED_FEATURES, "answer to a feature without a price").optional(),
    unknown_models: either(oneOf(UNKNOWN_MODELS, "rule"), strict({ price })).nullish(),
    vendor_state: oneOf(VENDOR_STATE_RULES, "rule").optional(),
    providers: record(PROVIDER_ID, providerSchema(names, directory)).nullish(),
    models: record(MODEL_ID, modelSchema(names)).nullish(),
    price_groups: record(PRICE_GROUP_ID, priceGroup).nullish(),
    aliases: either(aliasText(), record(ALIAS, MODEL_ID)).nullish(),
    account_templates: record(TEMPLATE_NAME, template).nullish(),
  })
}

/** The parsed content of a valid file, in the file's own names. */
export type FileSettings = z.output<ReturnType<typeof fileSchema>>
export type FileProvider = NonNullable<FileSettings["providers"]>[string]
export type FileModel = NonNullable<FileSettings["models"]>[string]
export type FilePriceGroup = NonNullable<FileSettings["price_groups"]>[string]
export type FilePrice = NonNullable<FileModel["price"]>
