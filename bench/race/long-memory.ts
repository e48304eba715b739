import { openLoop } from "../load/open-loop.ts"
import { RESPONSE_TOKENS, chatBody, STREAM_TOKENS } from "../load/request.ts"
import { familyOf, residentMemory } from "../processor.ts"
import type { Running } from "../subjects/subject.ts"
import type { RaceCourse } from "./processor.ts"

/** Number of chats per second for each subject. */
export const STEADY_CHATS = 20
export const STEADY_STREAMS = 4

/** The memory of a subject under a steady load, in KB. */
export interface LongMemory {
  readonly subject: string
  /** Memory of an idle subject after its first responses. */
  readonly atRest: number
  /** Memory, measured every few seconds during the load. */
  readonly samples: readonly { readonly second: number; readonly memory: number }[]
  readonly highest: number
  /** Memory at the end of the load. */
  readonly atEnd: number
  /** Memory after a period without requests. */
  readonly afterwards: number
  readonly responses: number
  readonly failures: number
}

/**
 * Measures all subjects at the same time. They do not share memory, and each has the same load. Together, the loads
 * leave the core more than half idle.
 */
export async function raceMemory(course: RaceCourse): Promise<readonly LongMemory[]> {
  const { field, effort, upstream } = course
  const able = await field.able("memory", course.running, upstream)
  await Bun.sleep(effort.settling)
  const results = await Promise.all(
    [...able.keys()].map((running) =>
      field.attempt("memory", running.name, () => watch(running, course)),
    ),
  )
  return results.filter((result) => result !== undefined)
}

async function watch(running: Running, { effort }: RaceCourse): Promise<LongMemory> {
  const family = familyOf(running.process)
  const atRest = residentMemory(family)
  const samples: { second: number; memory: number }[] = []
  const startedAt = performance.now()
  const timer = setInterval(() => {
    const second = Math.round((performance.now() - startedAt) / 1_000)
    samples.push({ second, memory: residentMemory(family) })
  }, effort.memorySample)
  const body = (tokens: number, isStream: boolean): string =>
    chatBody(running.model("echo"), tokens, isStream)
  const duration = effort.memoryTime
  const ended = await Promise.all([
    openLoop(running, body(RESPONSE_TOKENS, false), { rate: STEADY_CHATS, duration }),
    openLoop(running, body(STREAM_TOKENS, true), { rate: STEADY_STREAMS, duration }),
  ])
  clearInterval(timer)
  const atEnd = residentMemory(family)
  await Bun.sleep(effort.settling)
  return {
    subject: running.name,
    atRest,
    samples,
    highest: Math.max(atRest, atEnd, ...samples.map(({ memory }) => memory)),
    atEnd,
    afterwards: residentMemory(family),
    responses: ended.reduce((sum, { latencies }) => sum + latencies.length, 0),
    failures: ended.reduce((sum, { failures }) => sum + failures, 0),
  }
}
