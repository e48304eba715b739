import { type ModelRules, PDF_ENGINES } from "#contract/model-rules.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { Loss } from "../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
} from "../../canon/json.ts"
import { hasFile } from "../../canon/message.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { ChatBinding } from "../../vendors/vendor.ts"
import { ResponseRecord } from "../metering/response-record.ts"
import { withCallLimits } from "../priced-features/call-limits.ts"
import type { FeatureCosts } from "../priced-features/feature-costs.ts"
import type { PendingCharge } from "../billing/pending-charge.ts"
import type { ProviderClient } from "../request/provider-client.ts"
import type { OwnLimits } from "../fitting/own-limits.ts"
import type { Restoration } from "../fitting/restored-response.ts"

/** Returns a record of a response's reports other than usage; undefined if only tokens are billed. */
export function recordOf(
  charge: PendingCharge,
  { deployment, binding }: Plan,
): ResponseRecord | undefined {
  return charge.featureCosts?.has(deployment.id) === true
    ? new ResponseRecord(binding.dialect.id)
    : undefined
}

/** The planned call to one deployment. */
export interface Plan {
  readonly deployment: Deployment
  readonly client: ProviderClient
  /** The rules of the model; if absent, no restriction is known. */
  readonly rules?: ModelRules | undefined
  /** Rules derived from the provider's rejections of the same request so far. */
  readonly corrections?: ModelRules | undefined
  readonly binding: ChatBinding
  /** Whether caller and vendor use the same dialect, so that the response is passed on unchanged. */
  readonly isVerbatim: boolean
  /**
   * The request as it is sent to the vendor, which determines the meaning of the response. It may request a stream
   * although the caller does not, so that the relay can end the response.
   */
  readonly request: ChatRequest
  readonly body: JsonObject
  readonly losses: readonly Loss[]
  /** Number of upstream calls. There are several if the vendor returns only one choice per call. */
  readonly calls: number
  /** The limits that the relay enforces; absent if the vendor enforces all limits, which is the usual case. */
  readonly limits?: OwnLimits | undefined
  /** Converts the response back into the form that the caller requested; absent if it already has that form. */
  readonly restoration?: Restoration | undefined
  /** The costs of the request at this deployment in addition to tokens; absent if there are none. */
  readonly featureCosts?: FeatureCosts | undefined
}

/** Returns the same plan for a response that is not streamed. */
export function wholePlan(plan: Plan): Plan {
  const request = { ...plan.request, stream: false }
  const { body } = plan.binding.dialect.encodeRequest(request, plan.rules)
  return limitedPlan({ ...plan, request, body })
}

/** Returns the plan with the limits on tool calls that its hold is based on, and with an engine for files. */
export function limitedPlan(plan: Plan): Plan {
  const { featureCosts, client, binding } = plan
  const body = withServerOrder(withPdfEngine(plan), plan)
  if (featureCosts === undefined) return body === plan.body ? plan : { ...plan, body }
  const target = { vendor: client.vendor.id, dialect: binding.dialect.id }
  return { ...plan, body: withCallLimits(body, featureCosts, target) }
}

const PARSER = "file-parser"
/** OpenRouter's free engines for files, including a former name. */
const FREE_ENGINES: ReadonlySet<JsonValue | undefined> = new Set([...PDF_ENGINES, "pdf-text"])

/** Sets the engine that parses files at OpenRouter. Without it, OpenRouter would choose a paid engine. */
function withPdfEngine({ body, request, rules }: Plan): JsonObject {
  const engine = rules?.pdf_engine
  if (engine === undefined) return body
  const plugins = listAt(body, "plugins")
  const isParser = (plugin: JsonValue): plugin is JsonObject =>
    isJsonObject(plugin) && String(plugin.id).toLowerCase() === PARSER
  const [parser] = plugins.filter(isParser)
  const isNeeded = engine !== "native" && request.messages.some(hasFile)
  if (parser === undefined && !isNeeded) return body
  const pdf = objectAt(parser ?? {}, "pdf")
  const named = FREE_ENGINES.has(pdf?.engine) ? pdf?.engine : engine
  const own = { ...parser, id: PARSER, pdf: { ...pdf, engine: named ?? engine } }
  return { ...body, plugins: [...plugins.filter((plugin) => !isParser(plugin)), own] }
}

/** The members of a request for the cheapest server, by vendor. */
const CHEAPEST_SERVER: Readonly<Record<string, readonly [path: readonly string[], order: string]>> =
  {
    openrouter: [["provider", "sort"], "price"],
    vercel: [["providerOptions", "gateway", "sort"], "cost"],
  }

/** Asks a provider that resells models for its cheapest server, because the price of the model is the lowest one. */
function withServerOrder(body: JsonObject, { client, rules }: Plan): JsonObject {
  const [path, order] = CHEAPEST_SERVER[client.vendor.id] ?? []
  if (path === undefined || order === undefined || rules?.server_order !== "price") return body
  return withMember(body, path, order)
}

/** Returns an object with a member at a path, unless it has one that is not null. */
function withMember(
  object: JsonObject,
  [name = "", ...rest]: readonly string[],
  value: string,
): JsonObject {
  const own = object[name]
  if (rest.length === 0) return (own ?? null) === null ? { ...object, [name]: value } : object
  const inner: JsonObject = withMember(isJsonObject(own) ? own : {}, rest, value)
  return { ...object, [name]: inner }
}
