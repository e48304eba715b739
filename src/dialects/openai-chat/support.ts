import type { ResponseLimits } from "../../canon/dialect.ts"
import { type Feature, FEATURES, type Support } from "../../canon/features.ts"
import { supportOfScalars } from "../shared/scalars.ts"
import type { OpenAiChatQuirks } from "./quirks/index.ts"
import { SCALARS } from "./request/parameters.ts"

/** Features that this dialect cannot express. */
const UNSUPPORTED: ReadonlySet<Feature> = new Set(["tool_result.failed"])

const ALL = Object.keys(FEATURES) as Feature[]

/** Features that callers of this dialect can use. */
export const EXPRESSES: ReadonlySet<Feature> = new Set(ALL.filter((name) => !UNSUPPORTED.has(name)))

/** Returns the response limits of a vendor with these quirks. */
export function responseLimitsOf(quirks: OpenAiChatQuirks): ResponseLimits {
  const { maxChoices, stops, cutsStops, reportsStop, dropFields } = quirks
  const isKnown = !dropFields.includes("stop")
  const reportedStops = reportsStop ? Infinity : 0
  return {
    choices: maxChoices,
    stops: isKnown ? stops : 0,
    cutsStops,
    blankStops: true,
    reportedStops,
    minOutput: 1,
  }
}

/** Returns how a vendor with these quirks supports each feature. */
export function supportOf(quirks: OpenAiChatQuirks): Readonly<Record<Feature, Support>> {
  const carriesHistory = quirks.reasoningHistory !== "drop"
  const supports: Record<Feature, Support> = {
    ...CARRIED,
    ...supportOfScalars(SCALARS, quirks),
    reasoning_budget: quirks.reasoningForm === "object" ? "carried" : "approximated",
    cache_control: quirks.cacheControl ? "carried" : "dropped",
    "assistant.image": quirks.assistantImages ? "carried" : "approximated",
    image_config: quirks.imageConfig ? "carried" : "dropped",
    // If the vendor accepts no links, the gateway fetches the file.
    "file.url": quirks.fileUrls ? "carried" : "approximated",
    // Media of tool results are sent in a user message after the results.
    "tool_result.media": "approximated",
    "tool_result.failed": "dropped",
    "tools.grammar": quirks.customTools ? "carried" : "approximated",
    reasoning: carriesHistory ? "carried" : "dropped",
    "reasoning.signature": quirks.reasoningHistory === "details" ? "carried" : "dropped",
  }
  if (quirks.closedSchema !== undefined) {
    supports.reasoning_effort = "approximated"
    supports.refusal = "approximated"
    supports.name = "dropped"
  }
  if (quirks.dropFields.includes("modalities")) {
    supports["output.image"] = "dropped"
    supports["output.audio"] = "dropped"
  }
  for (const name of ALL) if (quirks.dropFields.includes(name)) supports[name] = "dropped"
  return supports
}

const CARRIED = Object.fromEntries(ALL.map((name) => [name, "carried"])) as Record<
  Feature,
  "carried"
>
