import { STREAM_FRAMES } from "../load/request.ts"
import { type Block, type Cost, costs, runBlock } from "../measure/blocks.ts"
import type { Running } from "../subjects/subject.ts"
import type { Upstream } from "../upstream.ts"
import type { Draw } from "./draw.ts"
import type { Field } from "./field.ts"
import { type Load, type LoadName, LOADS, yardstickOf } from "./loads.ts"
import { type RaceEffort, roundsOf } from "./plan.ts"

/** Processor time per response or frame, with every block of the measurement. */
export interface ProcessorRace {
  readonly costs: readonly Cost[]
  readonly blocks: readonly Block[]
}

/** The parts of the race that each measurement needs. */
export interface RaceCourse {
  readonly running: readonly Running[]
  readonly upstream: Upstream
  readonly field: Field
  readonly draw: Draw
  readonly effort: RaceEffort
}

/** @param warmUp the time before the first block of each subject, in milliseconds. */
export async function raceProcessor(
  name: LoadName,
  course: RaceCourse,
  warmUp: number,
): Promise<ProcessorRace> {
  const { field, draw, effort } = course
  const load = LOADS[name]
  const able = await field.able(name, course.running, course.upstream)
  const isStreamed = load.unit === "frames"
  const block = isStreamed ? effort.streamBlock : effort.block
  const rounds = isStreamed ? effort.streamRounds : effort.rounds
  const blocks: Block[] = []
  for (const round of roundsOf(rounds, effort)) {
    for (const running of draw.shuffle([...able.keys()])) {
      if (!field.isIn(name, running.name)) continue
      const own = running.name === "bare" ? yardstickOf(name) : load
      const headers = { ...running.headers, ...own.headers }
      const turn = { ...running, headers, path: own.path(running) }
      const order = { ...own, block, warmUp, body: () => own.body(running) }
      const found = await field.attempt(name, running.name, () => runBlock(turn, order, round))
      // If a busy machine kept a subject from answering in this round, the round has no result for that subject.
      if (found === undefined || round < 0 || found[load.unit] === 0) continue
      blocks.push(inFramesOfTheVendor(found, able.get(running), own))
    }
  }
  for (const { name: subject } of able.keys()) {
    if (blocks.some((one) => one.subject === subject)) continue
    field.reject(name, subject, `no ${load.unit} in any round`)
  }
  const kept = blocks.filter(({ subject }) => field.isIn(name, subject))
  return { blocks: kept, costs: costs(kept, load.unit) }
}

/** Counts the frames that a subject reads. A subject may write more or fewer frames than it reads. */
function inFramesOfTheVendor(block: Block, written: number | undefined, load: Load): Block {
  if (load.unit === "responses" || written === undefined) return block
  return { ...block, frames: (block.frames * STREAM_FRAMES) / written }
}
