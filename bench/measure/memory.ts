import { checkResponses } from "../load/check-response.ts"
import { IdleStreams } from "../load/idle-streams.ts"
import { chatBody } from "../load/request.ts"
import type { Effort } from "../options.ts"
import { familyOf, residentMemory } from "../processor.ts"
import type { Running, Subject } from "../subjects/subject.ts"
import { startUpstream, type Upstream } from "../upstream.ts"
import { eachSubject } from "./with-subjects.ts"

/** Number of streams that are open at the same time. */
export const STREAMS = 1_000
/** Number of streams that are opened first. They make a subject compile its code and create its pools. */
const FIRST_STREAMS = 200
const STREAM_TOKENS = 8
const OPENING_TIME = 20_000
const POLL_INTERVAL_MS = 50

/** The memory of one subject in KB. */
export interface MemoryResult {
  readonly subject: string
  /** Memory of an idle subject after a few responses. */
  readonly atRest: number
  /** Memory while the first streams are open and idle. */
  readonly withFirst: number
  /** Memory while all streams are open. */
  readonly withStreams: number
  /** Memory for each stream after the first streams. */
  readonly perStream: number
  /** Memory after all callers have disconnected. */
  readonly afterwards: number
  /** Number of streams whose first frame has reached the caller. */
  readonly begun: number
  /** Maximum number of streams that the vendor had open at the same time. */
  readonly openAtVendor: number
  /** Number of responses that the vendor was still writing after all callers had disconnected. */
  readonly leftAtVendor: number
  /** Milliseconds until all streams were open. */
  readonly openingTime: number
}

/** Measures memory at rest, and with 1,000 streams that wait for their next frame. */
export async function measureMemory(
  subjects: readonly Subject[],
  effort: Effort,
): Promise<readonly MemoryResult[]> {
  await using upstream = await startUpstream(0)
  return await eachSubject(subjects, upstream, async (prepared) => {
    await using running = await prepared.start()
    for (let times = 0; times < 5; times++) await checkResponses(running)
    return await holdStreams(running, upstream, effort.settling)
  })
}

/**
 * Measures a subject that has already answered requests.
 * @param settling milliseconds without requests before memory is read.
 */
export async function holdStreams(
  running: Running,
  upstream: Upstream,
  settling: number,
): Promise<MemoryResult> {
  const family = familyOf(running.process)
  await Bun.sleep(settling)
  const atRest = residentMemory(family)
  // This model sends half of a response and then waits forever.
  const body = chatBody(running.model("fault-stall"), STREAM_TOKENS, true)
  const began = performance.now()
  using streams = new IdleStreams()
  await openStreams(streams, FIRST_STREAMS, { running, upstream, body })
  let openingTime = performance.now() - began
  await Bun.sleep(settling)
  const withFirst = residentMemory(family)
  const first = streams.begun
  const beganRest = performance.now()
  await openStreams(streams, STREAMS, { running, upstream, body })
  openingTime += performance.now() - beganRest
  await Bun.sleep(settling)
  const withStreams = residentMemory(family)
  const { begun } = streams
  const openAtVendor = await upstream.open()
  streams[Symbol.dispose]()
  await Bun.sleep(settling)
  return {
    subject: running.name,
    atRest,
    withFirst,
    withStreams,
    perStream: (withStreams - withFirst) / Math.max(1, begun - first),
    afterwards: residentMemory(family),
    begun,
    openAtVendor,
    leftAtVendor: await upstream.open(),
    openingTime,
  }
}

interface Opening {
  readonly running: Running
  readonly upstream: Upstream
  readonly body: string
}

/** Opens streams until there are `count`, and waits until each has begun. */
async function openStreams(streams: IdleStreams, count: number, opening: Opening): Promise<void> {
  const { running, upstream, body } = opening
  await streams.open(running, body, count - streams.begun)
  const deadline = performance.now() + OPENING_TIME
  const areOpen = async () => streams.begun === count && (await upstream.open()) >= count
  while (!(await areOpen()) && performance.now() < deadline) await Bun.sleep(POLL_INTERVAL_MS)
}
