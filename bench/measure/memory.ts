import { checkAnswers } from "../load/check-answer.ts"
import { IdleStreams } from "../load/idle-streams.ts"
import { chatBody } from "../load/request.ts"
import type { Effort } from "../options.ts"
import { familyOf, residentMemory } from "../processor.ts"
import type { Running, Subject } from "../subjects/subject.ts"
import { startUpstream, type Upstream } from "../upstream.ts"
import { eachSubject } from "./with-subjects.ts"

/** Streams that are opened at once. */
export const STREAMS = 1_000
const STREAM_TOKENS = 8
const OPENING_TIME = 20_000
const LOOK_EVERY = 50

/** What one subject holds in memory. KB. */
export interface MemoryResult {
  readonly subject: string
  /** After a few answers, doing nothing. */
  readonly atRest: number
  /** With all streams begun and nothing coming. */
  readonly withStreams: number
  readonly perStream: number
  /** After all callers hung up. */
  readonly afterwards: number
  /** Streams of which the caller had a frame. */
  readonly begun: number
  /** Streams that the vendor had open at the same time. */
  readonly openAtVendor: number
  /** Answers that the vendor was still writing after all callers had hung up. */
  readonly leftAtVendor: number
  /** Milliseconds until all were open. */
  readonly openingTime: number
}

/** Memory at rest and with 1,000 streams that wait for their next frame. */
export async function measureMemory(
  subjects: readonly Subject[],
  effort: Effort,
): Promise<readonly MemoryResult[]> {
  await using upstream = await startUpstream(0)
  return await eachSubject(subjects, upstream, async (prepared) => {
    await using running = await prepared.start()
    for (let times = 0; times < 5; times++) await checkAnswers(running)
    return await holdStreams(running, upstream, effort.settling)
  })
}

async function holdStreams(
  running: Running,
  upstream: Upstream,
  settling: number,
): Promise<MemoryResult> {
  const family = familyOf(running.process)
  await Bun.sleep(settling)
  const atRest = residentMemory(family)
  // This one answers half and then waits without end.
  const body = chatBody(running.model("fault-stall"), STREAM_TOKENS, true)
  const began = performance.now()
  const opened = await openStreams(running, upstream, body)
  const openingTime = performance.now() - began
  await Bun.sleep(settling)
  const withStreams = residentMemory(family)
  const { begun } = opened.streams
  const openAtVendor = await upstream.open()
  opened.streams[Symbol.dispose]()
  await Bun.sleep(settling)
  return {
    subject: running.name,
    atRest,
    withStreams,
    perStream: (withStreams - atRest) / Math.max(1, begun),
    afterwards: residentMemory(family),
    begun,
    openAtVendor,
    leftAtVendor: await upstream.open(),
    openingTime,
  }
}

async function openStreams(running: Running, upstream: Upstream, body: string) {
  const streams = await IdleStreams.open(running, body, STREAMS)
  const deadline = performance.now() + OPENING_TIME
  const areOpen = async () => streams.begun === STREAMS && (await upstream.open()) >= STREAMS
  while (!(await areOpen()) && performance.now() < deadline) await Bun.sleep(LOOK_EVERY)
  return { streams }
}
