import { checkResponses } from "../load/check-response.ts"
import { chatBody } from "../load/request.ts"
import type { Effort, SubjectName } from "../options.ts"
import { spreadOf, type Spread } from "../statistics.ts"
import type { Prepared, Running, Subject } from "../subjects/subject.ts"
import { startUpstream } from "../upstream.ts"
import { eachSubject } from "./with-subjects.ts"

/** Times in milliseconds since the start of the process. */
export interface StartResult {
  readonly subject: SubjectName
  /** Time until the first response of any kind. */
  readonly toHealth: Spread
  /** Time until the complete response of a chat completion. */
  readonly toResponse: Spread
  readonly starts: readonly StartTime[]
}

/** Times of one start in milliseconds. */
export interface StartTime {
  readonly toHealth: number
  readonly toResponse: number
}

/** Measures cold starts. The process is new, but its files are in the system's cache. */
export async function measureStart(
  subjects: readonly Subject[],
  effort: Effort,
): Promise<readonly StartResult[]> {
  await using upstream = await startUpstream(0)
  return await eachSubject(subjects, upstream, async (prepared, { name }) => {
    const starts = []
    // The first start does not count, because it fills caches and creates files for later starts.
    for (let times = 0; times <= effort.starts; times++)
      starts.push(await timeStart(prepared, checkResponses))
    starts.shift()
    return {
      subject: name,
      toHealth: spreadOf(starts.map(({ toHealth }) => toHealth)),
      toResponse: spreadOf(starts.map(({ toResponse }) => toResponse)),
      starts,
    }
  })
}

/**
 * Measures one start.
 * @param check a request that is sent afterwards and does not count.
 */
export async function timeStart(
  prepared: Prepared,
  check: (running: Running) => Promise<unknown>,
): Promise<StartTime> {
  await using running = await prepared.start()
  const response = await fetch(`http://127.0.0.1:${running.port}${running.path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...running.headers },
    body: chatBody(running.model("echo"), 8, false),
    keepalive: false,
  })
  await response.text()
  const toResponse = performance.now() - running.startedAt
  if (response.status !== 200) throw new Error(`${running.name} answered ${response.status}`)
  await check(running)
  return { toHealth: running.startTime, toResponse }
}
