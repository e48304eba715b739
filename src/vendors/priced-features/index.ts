import type { DialectId } from "../../canon/extra.ts"
import { ANTHROPIC_SWITCHES } from "./anthropic.ts"
import { GEMINI_SWITCHES, OLDER_GEMINI, OLDER_GEMINI_SWITCHES } from "./google.ts"
import {
  COMPATIBLE_CHAT_SWITCHES,
  COMPATIBLE_RESPONSES_SWITCHES,
  OPENAI_CHAT_SWITCHES,
  OPENAI_RESPONSES_SWITCHES,
} from "./openai.ts"
import { BEDROCK_SWITCHES, COHERE_SWITCHES, OTHER_VENDORS } from "./others.ts"
import { OPENROUTER_SWITCHES, ROUTER_SWITCHES, VERCEL_SWITCHES } from "./routers.ts"
import type { FieldSwitch, Switches } from "./switch.ts"

/**
 * The table of priced features, by vendor and dialect. Priced features are the parts of a request that change the
 * vendor's bill. For a vendor without an entry, the entry of the dialect in `USUAL_BILLABLE` applies.
 */
export const BILLABLE: Readonly<Record<string, Partial<Record<DialectId, Switches>>>> = {
  openai: { "openai-chat": OPENAI_CHAT_SWITCHES, "openai-responses": OPENAI_RESPONSES_SWITCHES },
  azure: { "openai-chat": OPENAI_CHAT_SWITCHES, "openai-responses": OPENAI_RESPONSES_SWITCHES },
  openrouter: { "openai-chat": OPENROUTER_SWITCHES, "openai-responses": OPENROUTER_SWITCHES },
  vercel: { "openai-chat": VERCEL_SWITCHES },
  ...OTHER_VENDORS,
  // The server can be a LiteLLM proxy.
  "openai-compatible": ROUTER_SWITCHES,
  litellm: ROUTER_SWITCHES,
  requesty: ROUTER_SWITCHES,
}

/** Switches for vendors that have no entry in `BILLABLE`. */
export const USUAL_BILLABLE: Readonly<Record<DialectId, Switches>> = {
  "openai-chat": COMPATIBLE_CHAT_SWITCHES,
  "openai-responses": COMPATIBLE_RESPONSES_SWITCHES,
  "anthropic-messages": ANTHROPIC_SWITCHES,
  gemini: GEMINI_SWITCHES,
  "bedrock-converse": BEDROCK_SWITCHES,
  "cohere-chat": COHERE_SWITCHES,
}

const CHARGING_FILES: ReadonlySet<string> = new Set(
  Object.entries(BILLABLE).flatMap(([vendor, byDialect]) =>
    Object.values(byDialect).some(({ files }) => files !== undefined) ? [vendor] : [],
  ),
)

/** Whether a vendor charges for files in a conversation. */
export function chargesFiles(vendor: string): boolean {
  return CHARGING_FILES.has(vendor)
}

/** Servers that operators run on their own machines, on which nothing is billed. */
export const UNBILLED: ReadonlySet<string> = new Set(["ollama", "vllm", "lm-studio", "llama-cpp"])

/** Models whose billing rules differ from those of the newest models of their dialect. */
export const OLDER_MODELS: readonly {
  readonly dialect: DialectId
  readonly name: string
  /** Matches the vendor's name for the model. */
  readonly models: RegExp
  readonly switches: Switches
}[] = [
  {
    dialect: "gemini",
    name: "Gemini 2.5 and older",
    models: OLDER_GEMINI,
    switches: OLDER_GEMINI_SWITCHES,
  },
]

/**
 * Returns the switches of a dialect at a vendor; undefined if nothing is billed.
 * @param model the vendor's name for the model; if absent, the rules of the newest models apply.
 */
export function switchesOf(
  vendor: string,
  dialect: DialectId,
  model?: string,
): Switches | undefined {
  if (UNBILLED.has(vendor)) return undefined
  if (model !== undefined) {
    const older = OLDER_MODELS.find((row) => row.dialect === dialect && row.models.test(model))
    if (older) return older.switches
  }
  return BILLABLE[vendor]?.[dialect] ?? USUAL_BILLABLE[dialect]
}

/**
 * Cached fields by the list of dialects of a deployment. The list never changes, and a deployment belongs to one
 * vendor.
 */
const knownFields = new WeakMap<readonly DialectId[], readonly FieldSwitch[]>()

/**
 * Returns the fields that report the service mode in a vendor's responses, one field for each place in the response.
 */
export function servedFields(
  vendor: string,
  dialects: readonly DialectId[],
): readonly FieldSwitch[] {
  let fields = knownFields.get(dialects)
  if (fields === undefined) {
    const byPlace = new Map<string, FieldSwitch>()
    for (const dialect of dialects) {
      for (const field of switchesOf(vendor, dialect)?.fields ?? []) {
        const [place] = field.served ?? []
        if (place !== undefined && !byPlace.has(place)) byPlace.set(place, field)
      }
    }
    knownFields.set(dialects, (fields = [...byPlace.values()]))
  }
  return fields
}
