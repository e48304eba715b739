import type { EmbeddingRequest } from "../../../canon/embedding.ts"
import type { Loss } from "../../../canon/extra.ts"

/** Splits a list into chunks of at most `max`. */
export function batchesOf<Item>(items: readonly Item[], max: number): (readonly Item[])[] {
  const batches: (readonly Item[])[] = []
  for (let start = 0; start < items.length; start += max) {
    batches.push(items.slice(start, start + max))
  }
  return batches
}

/** Returns the texts of a request to a vendor that accepts only texts. */
export function textsOf({ input }: EmbeddingRequest): readonly string[] {
  if (input.type === "texts") return input.texts
  throw new Error("a vendor that accepts only text received tokens")
}

/**
 * Returns the losses for fields that a vendor does not support.
 * @param carried the supported fields.
 */
export function lossesOf(request: EmbeddingRequest, carried: ReadonlySet<string>): Loss[] {
  const { user, dimensions, extra = {} } = request
  const losses = [
    ...(user === undefined ? [] : ["user"]),
    ...(dimensions === undefined ? [] : ["dimensions"]),
    ...Object.keys(extra),
  ]
  return losses
    .filter((name) => !carried.has(name))
    .map((name) => ({ name, effect: "dropped" as const }))
}

/** Adds up the tokens of several calls. Returns 0 if a call was not counted, since that call would be free. */
export function tokensOfCalls(counts: readonly (number | undefined)[]): number {
  let sum = 0
  for (const count of counts) {
    if (count === undefined || count === 0) return 0
    sum += count
  }
  return sum
}
