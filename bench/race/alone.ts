import { holdStreams, type MemoryResult } from "../measure/memory.ts"
import { type StartTime, timeStart } from "../measure/start.ts"
import { measureUploads, type UploadResult } from "../measure/upload.ts"
import { median } from "../statistics.ts"
import type { Prepared, Subject } from "../subjects/subject.ts"
import type { Upstream } from "../upstream.ts"
import type { Field } from "./field.ts"
import type { RaceEffort, ScenarioName } from "./plan.ts"
import { checkRight } from "./right-responses.ts"

/** Median times in milliseconds since the start of the process. */
export interface RaceStart {
  readonly subject: string
  readonly toHealth: number
  readonly toResponse: number
  readonly starts: readonly StartTime[]
}

/** Measurements that need a new process of each subject. */
export interface AloneResults {
  start?: readonly RaceStart[]
  idle?: readonly MemoryResult[]
  upload?: readonly UploadResult[]
}

/** The environment in which each subject is measured alone. */
export interface AloneCourse {
  readonly subjects: readonly Subject[]
  readonly upstream: Upstream
  readonly field: Field
  readonly effort: RaceEffort
}

/** Measures the subjects one after another, each in a new process. */
export async function raceAlone<Result>(
  scenario: ScenarioName,
  course: AloneCourse,
  measure: (prepared: Prepared, subject: Subject) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const subject of course.subjects) {
    const found = await course.field.attempt(scenario, subject.name, async () => {
      await using prepared = await subject.prepare(course.upstream)
      return await measure(prepared, subject)
    })
    if (found !== undefined) results.push(found)
  }
  return results
}

/** Measures cold starts. The files are in the system's cache. */
export function raceStart(course: AloneCourse): Promise<readonly RaceStart[]> {
  const { effort, upstream } = course
  return raceAlone("start", course, async (prepared, { name }) => {
    const begun = performance.now()
    const starts: StartTime[] = []
    // The first start does not count, because it fills caches and creates files for later starts.
    for (let times = 0; times <= effort.starts; times++) {
      if (times > 1 && performance.now() - begun > effort.startTime) break
      starts.push(await timeStart(prepared, (running) => checkRight("start", running, upstream)))
    }
    starts.shift()
    return {
      subject: name,
      toHealth: median(starts.map(({ toHealth }) => toHealth)),
      toResponse: median(starts.map(({ toResponse }) => toResponse)),
      starts,
    }
  })
}

/** Measures a thousand idle streams. */
export function raceIdle(course: AloneCourse): Promise<readonly MemoryResult[]> {
  const { effort, upstream } = course
  return raceAlone("idle", course, async (prepared) => {
    await using running = await prepared.start()
    await checkRight("chat", running, upstream)
    await checkRight("idle", running, upstream)
    return await holdStreams(running, upstream, effort.settling)
  })
}

/** Measures uploads of 25 MB. */
export function raceUpload(course: AloneCourse): Promise<readonly UploadResult[]> {
  const { effort, upstream } = course
  return raceAlone("upload", course, async (prepared) => {
    await using running = await prepared.start()
    await checkRight("upload", running, upstream)
    return await measureUploads(running, effort.uploads, effort.settling)
  })
}
