import { ClosedLoop, type Seen } from "../load/closed-loop.ts"
import { GATEWAY_CORE } from "../machine.ts"
import { busyTime, familyOf, processorTime } from "../processor.ts"
import { spreadOf, type Spread } from "../statistics.ts"
import type { Running } from "../subjects/subject.ts"

/** One subject's turn. */
export interface Block extends Seen {
  /** The subject, or the measured part of it. */
  readonly subject: string
  readonly round: number
  /** Milliseconds. */
  readonly duration: number
  /** Microseconds of the subject's processes. */
  readonly processorTime: number
  /** Microseconds that other processes used on the subject's core. */
  readonly strangersTime: number
}

/** The requests of a block, and its duration. */
export interface BlockOrder {
  readonly callers: number
  /** Milliseconds that are measured. */
  readonly block: number
  /** Milliseconds before the first block of each subject. */
  readonly warmUp: number
  body(running: Running): string
}

/** Blocks in turn. */
export interface TurnsOrder extends BlockOrder {
  readonly rounds: number
}

// Initial part of a block that does not count, because connections and caches are not warm again.
const RUN_UP = 250
const MICROSECONDS = 1_000

/** Lets the subjects take turns; the direction alternates with each round. */
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

/** Runs one subject's turn. @param round negative: its warm-up. */
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

/** The cost of a unit of work for one subject. */
export interface Cost {
  readonly subject: string
  /** Microseconds of processor time per unit. */
  readonly microseconds: Spread
  /** Against the bare proxy in the same round. */
  readonly ratio: Spread
  readonly ratios: readonly number[]
  /** Number of rounds that count: those without much other work on the core, or all if these are few. */
  readonly rounds: number
}

// Maximum share of its core used by other processes; a block above it measures mostly them.
const MAX_STRANGERS = 0.1

/** Divides each block by the bare proxy's of the same round. @param unit counted unit */
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
