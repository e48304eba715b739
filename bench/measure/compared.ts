import { spreadOf, type Spread } from "../statistics.ts"
import type { Block } from "./blocks.ts"

/** Processor time per chat for one variant of the gateway. */
export interface ComparedCost<Name extends string> {
  readonly name: Name
  readonly microseconds: Spread
  /** The cost compared with the base variant in the same round. */
  readonly ratio: Spread
}

/**
 * Returns the cost per response for each variant of the gateway, divided by the cost of the base variant. Processes
 * with the same name are combined.
 */
export function comparedTo<Name extends string>(
  base: Name,
  names: readonly Name[],
  blocks: readonly Block[],
): readonly ComparedCost<Name>[] {
  const rounds = new Set(blocks.map(({ round }) => round))
  const costsOf = (name: Name): number[] =>
    [...rounds].map((round) =>
      costOf(blocks.filter((block) => block.subject === name && block.round === round)),
    )
  const others = costsOf(base)
  return names.map((name) => {
    const own = costsOf(name)
    const ratios = own.map((cost, index) => cost / (others[index] ?? NaN))
    return { name, microseconds: spreadOf(own), ratio: spreadOf(ratios) }
  })
}

/** Returns microseconds of processor time per response. */
function costOf(blocks: readonly Block[]): number {
  const used = blocks.reduce((sum, { processorTime }) => sum + processorTime, 0)
  return used / blocks.reduce((sum, { responses }) => sum + responses, 0)
}
