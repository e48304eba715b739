import { ClosedLoop, type Seen } from "../load/closed-loop.ts"
import { GATEWAY_CORE } from "../machine.ts"
import { busyTime, familyOf, processorTime } from "../processor.ts"
import { spreadOf, type Spread } from "../statistics.ts"
import type { Running } from "../subjects/subject.ts"

/** One subject's turn. */
export interface Block extends Seen {
  /** The subject, or what of it is measured. */
  readonly subject: string
  readonly round: number
  /** Milliseconds. */
  readonly duration: number
  /** Microseconds of the subject's processes. */
  readonly processorTime: number
  /** Microseconds that others used on the subject's core. */
  readonly strangersTime: number
}

/** What to ask in a block, and how long. */
export interface BlockOrder {
  readonly callers: number
  /** Milliseconds that count. */
  readonly block: number
  /** Milliseconds before the first block of each subject. */
  readonly warmUp: number
  body(running: Running): string
}

/** Blocks in turn. */
export interface TurnsOrder extends BlockOrder {
  readonly rounds: number
}

// Connections and caches are warm again after this part of a block, which does not count.
const RUN_UP = 250
const MICROSECONDS = 1_000

/** The subjects take turns; each round goes through them in the other direction than the last. */
export async function takeTurns(
  subjects: readonly Running[],
  order: TurnsOrder,
): Promise<readonly Block[]> {
  for (const running of subjects) await runBlock(running, order, -1)
  const blocks: Block[] = []
  for (let round = 0; round < order.rounds; round++) {
    const turns = round % 2 === 0 ? subjects : subjects.toReversed()
    for (const running of turns) blocks.push(await runBlock(running, order, round))
  }
  return blocks
}

/** One subject's turn. @param round negative: its warm-up. */
export async function runBlock(running: Running, order: BlockOrder, round: number): Promise<Block> {
  using loop = await ClosedLoop.connect(running, order.body(running), order.callers)
  const family = familyOf(running.process)
  loop.start()
  await Bun.sleep(RUN_UP)
  const before = read(loop, family)
  await Bun.sleep(round < 0 ? order.warmUp : order.block)
  const after = read(loop, family)
  await loop.stop()
  const used = after.used - before.used
  return {
    subject: running.name,
    round,
    duration: after.time - before.time,
    processorTime: used,
    strangersTime: Math.max(0, after.busy - before.busy - used),
    answers: after.answers - before.answers,
    frames: after.frames - before.frames,
    chunks: after.chunks - before.chunks,
  }
}

function read(loop: ClosedLoop, family: readonly number[]) {
  return {
    ...loop.seen,
    time: performance.now(),
    used: processorTime(family),
    busy: busyTime(GATEWAY_CORE),
  }
}

/** What a unit of work cost one subject. */
export interface Cost {
  readonly subject: string
  /** Microseconds of processor time per unit. */
  readonly microseconds: Spread
  /** Against the bare proxy in the same round. */
  readonly ratio: Spread
  readonly ratios: readonly number[]
  /** Rounds that counted: those in which others left the core alone, or all when few were such. */
  readonly rounds: number
}

// Above this share of its core used by others, a block says more about them.
const MAX_STRANGERS = 0.1

/** Divides each block by the bare proxy's of the same round. @param unit what is counted */
export function costs(blocks: readonly Block[], unit: "answers" | "frames"): readonly Cost[] {
  const names = [...new Set(blocks.map(({ subject }) => subject))]
  const costOf = (block: Block) => block.processorTime / block[unit]
  return names.map((subject) => {
    const pairs = pairsOf(blocks, subject)
    const ratios = pairs.map(([own, bare]) => costOf(own) / costOf(bare))
    const microseconds = spreadOf(pairs.map(([own]) => costOf(own)))
    return { subject, microseconds, ratio: spreadOf(ratios), ratios, rounds: pairs.length }
  })
}

function pairsOf(blocks: readonly Block[], subject: string): readonly [Block, Block][] {
  const pairs = blocks
    .filter((block) => block.subject === subject)
    .flatMap((own): [Block, Block][] => {
      const bare = blocks.find(({ subject, round }) => subject === "bare" && round === own.round)
      return bare === undefined ? [] : [[own, bare]]
    })
  const quiet = pairs.filter((pair) => pair.every(isQuiet))
  return quiet.length * 2 >= pairs.length ? quiet : pairs
}

function isQuiet({ strangersTime, duration }: Block): boolean {
  return strangersTime < duration * MICROSECONDS * MAX_STRANGERS
}
