import type { Model } from "../../catalog/model.ts"
import type { FeatureCosts, ToolTurns } from "../priced-features/feature-costs.ts"
import type { Bound } from "./bounds.ts"

/**
 * Returns the bound of a request including input and output that vendors add.
 * @param plain the bound of the request itself.
 * @param calls maximum number of upstream calls.
 */
export function widenedBound(
  plain: Bound,
  featureCosts: ReadonlyMap<string, FeatureCosts> | undefined,
  { context }: Pick<Model, "context">,
  calls: number,
): Bound {
  const bound =
    featureCosts === undefined ? plain : withFeatures(plain, featureCosts, { context, calls })
  // A vendor that returns one choice per call reads the whole prompt for each choice.
  return calls === 1 ? bound : { ...bound, input: bound.input * calls, calls }
}

function withFeatures(
  bound: Bound,
  all: ReadonlyMap<string, FeatureCosts>,
  { context, calls }: { readonly context: number | undefined; readonly calls: number },
): Bound {
  let input = bound.input
  let outputs = 1
  let rounds = 1
  for (const featureCosts of all.values()) {
    const first = Math.max(
      bound.input,
      Math.min(bound.input + featureCosts.adds, context ?? Infinity),
    )
    const repeated = readAgain(first, featureCosts.turns, context)
    input = Math.max(input, first + (bound.choices / calls) * repeated)
    outputs = Math.max(outputs, featureCosts.outputs)
    rounds = Math.max(rounds, featureCosts.rounds)
  }
  return { ...bound, input: rounds * input, choices: rounds * outputs * bound.choices, rounds }
}

/** Returns the input tokens of all turns after the first. Each tool result is read again in every later turn. */
function readAgain(
  input: number,
  { held, result }: ToolTurns,
  context: number | undefined,
): number {
  const most = Math.max(input, context ?? Infinity)
  const left = result === 0 ? Infinity : Math.floor((most - input) / result)
  const growing = Math.min(held, left)
  const grown = growing * input + (result * growing * (growing + 1)) / 2
  return growing === held ? grown : grown + (held - growing) * most
}
