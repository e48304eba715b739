import { ClosedLoop, type Seen } from "../load/closed-loop.ts"
import { GATEWAY_CORE } from "../machine.ts"
import { busyTime, familyOf, processorTime } from "../processor.ts"
import { spreadOf, type Spread } from "../statistics.ts"
import type { Running } from "../subjects/subject.ts"

/** The result of one subject's turn. */
export interface Block extends Seen {
  /** The name of the subject, or of the variant that is measured. */
  readonly subject: string
  readonly round: number
  /** Duration in milliseconds. */
  readonly duration: number
  /** Processor time of the subject's processes in microseconds. */
  readonly processorTime: number
  /** Processor time in microseconds that other processes used on the subject's core. */
  readonly strangersTime: number
}

/** The requests of a block, and the duration of the block. */
export interface BlockOrder {
  readonly callers: number
  /** Duration of the measurement in milliseconds. */
  readonly block: number
  /** Duration of the warm-up before the first block of each subject, in milliseconds. */
  readonly warmUp: number
  body(running: Running): string
}

/** The settings for blocks in which the subjects take turns. */
export interface TurnsOrder extends BlockOrder {
  /** Number of quiet rounds that are needed. */
  readonly rounds: number
}

// Milliseconds at the beginning of a block that do not count, because connections and caches have to warm up again.
const RUN_UP = 250
const MICROSECONDS = 1_000
// Noisy rounds are repeated until this many times the needed rounds have run.
const MAX_ROUNDS_RATIO = 2

/** Runs the blocks of all subjects in turn, and repeats noisy rounds. The order is reversed after each round. */
export async function takeTurns(
  subjects: readonly Running[],
  order: TurnsOrder,
): Promise<readonly Block[]> {
  for (const running of subjects) await runBlock(running, order, -1)
  const blocks: Block[] = []
  let missing = order.rounds
  for (let round = 0; missing > 0 && round < order.rounds * MAX_ROUNDS_RATIO; round++) {
    const turns = round % 2 === 0 ? subjects : subjects.toReversed()
    const measured: Block[] = []
    for (const running of turns) measured.push(await runBlock(running, order, round))
    blocks.push(...measured)
    if (measured.every(isQuiet)) missing--
  }
  return blocks
}

/**
 * Runs one subject's turn.
 * @param round the number of the round; negative: the warm-up.
 */
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
    responses: after.responses - before.responses,
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

/** The cost of one response or frame for one subject. */
export interface Cost {
  readonly subject: string
  /** Microseconds of processor time per response or frame. */
  readonly microseconds: Spread
  /** The cost compared with the bare proxy in the same round. */
  readonly ratio: Spread
  readonly ratios: readonly number[]
  /**
   * Number of rounds that count. Rounds with much other work on the core do not count, unless too few rounds would
   * remain.
   */
  readonly rounds: number
}

// Maximum share of the core that other processes may use. Above this share, a block mostly measures the other
// processes.
const MAX_STRANGERS = 0.1

/**
 * Divides each block by the bare proxy's block of the same round.
 * @param unit the unit that is counted.
 */
export function costs(blocks: readonly Block[], unit: "responses" | "frames"): readonly Cost[] {
  const names = [...new Set(blocks.map(({ subject }) => subject))]
  const costOf = (block: Block) => block.processorTime / block[unit]
  return names.map((subject) => {
    const { pairs, isNoisy } = pairsOf(blocks, subject)
    const ratios = pairs.map(([own, bare]) => costOf(own) / costOf(bare))
    const microseconds = spreadOf(pairs.map(([own]) => costOf(own)))
    const ratio = { ...spreadOf(ratios), ...(isNoisy && { isNoisy }) }
    return { subject, microseconds, ratio, ratios, rounds: pairs.length }
  })
}

interface Pairs {
  readonly pairs: readonly [Block, Block][]
  readonly isNoisy: boolean
}

function pairsOf(blocks: readonly Block[], subject: string): Pairs {
  const pairs = blocks
    .filter((block) => block.subject === subject)
    .flatMap((own): [Block, Block][] => {
      const bare = blocks.find(({ subject, round }) => subject === "bare" && round === own.round)
      return bare === undefined ? [] : [[own, bare]]
    })
  const quiet = pairs.filter((pair) => pair.every(isQuiet))
  const isNoisy = quiet.length * 2 < pairs.length
  return { pairs: isNoisy ? pairs : quiet, isNoisy }
}

function isQuiet({ strangersTime, duration }: Block): boolean {
  return strangersTime < duration * MICROSECONDS * MAX_STRANGERS
}
