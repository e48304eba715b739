import { spreadOf, type Spread } from "../statistics.ts"
import type { Block } from "./blocks.ts"

/** Processor time of one variant of the gateway per chat. */
export interface ComparedCost<Name extends string> {
  readonly name: Name
  readonly microseconds: Spread
  /** Against the base in the same round. */
  readonly ratio: Spread
}

/** What variants of the gateway cost per answer, divided by what one of them costs. */
export function comparedTo<Name extends string>(
  base: Name,
  names: readonly Name[],
  blocks: readonly Block[],
): readonly ComparedCost<Name>[] {
  const costOf = ({ processorTime, answers }: Block): number => processorTime / answers
  return names.map((name) => {
    const own = blocks.filter(({ subject }) => subject === name)
    const ratios = own.map((block) => {
      const other = blocks.find(({ subject, round }) => subject === base && round === block.round)
      return other ? costOf(block) / costOf(other) : NaN
    })
    return { name, microseconds: spreadOf(own.map(costOf)), ratio: spreadOf(ratios) }
  })
}
