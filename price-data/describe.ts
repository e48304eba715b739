import type { Listing } from "./models-dev.ts"
import { undated } from "./resold.ts"
import type { Kind, ModelFacts, Price } from "./shape.ts"

const modalities = ["text", "image", "audio", "video", "pdf"]

/** Returns the facts about a listed model. */
export function describe(
  listing: Listing,
  kind: Kind,
  owner: string | undefined,
  price: Price | undefined,
): ModelFacts {
  const facts: ModelFacts = { kind }
  const created = Date.parse(`${listing.releaseDate ?? ""}T00:00:00Z`)
  if (!Number.isNaN(created)) facts.created = created / 1000
  if (owner !== undefined) facts.owner = owner
  if (listing.context !== undefined) facts.context = listing.context
  // For an embedding, the list's "output" is the length of the vector. For a rerank, it has no meaning.
  const speaks = kind !== "embedding" && kind !== "rerank"
  if (speaks && listing.maxOutput !== undefined) facts.max_output = listing.maxOutput
  const input = modalities.filter((each) => listing.inputs.includes(each))
  if (input.some((each) => each !== "text")) facts.input = input
  if (listing.tools) facts.tools = true
  if (listing.reasoning) facts.reasoning = true
  if (kind === "chat") Object.assign(facts, rulesOf(listing))
  if (price !== undefined) facts.price = price
  return facts
}

/** Returns the parameters that a chat model accepts. */
function rulesOf(listing: Listing): Partial<ModelFacts> {
  const { efforts, hasReasoningSwitch, reasoningField, temperature, structuredOutput } = listing
  return {
    ...(efforts === undefined ? {} : { efforts }),
    ...(hasReasoningSwitch === true ? { reasoning_switch: true } : {}),
    ...(reasoningField === undefined ? {} : { reasoning_field: reasoningField }),
    ...(temperature === false ? { temperature: false } : {}),
    ...(structuredOutput === undefined ? {} : { structured_output: structuredOutput }),
  }
}

/** Returns the release date that a snapshot's name contains. */
export function releaseIn(name: string): { releaseDate?: string } {
  return undated(name) === name ? {} : { releaseDate: name.slice(-"YYYY-MM-DD".length) }
}
