import { checkResponses } from "../load/check-response.ts"
import type { Prepared, Running, Subject } from "../subjects/subject.ts"
import type { Upstream } from "../upstream.ts"

/** Starts all subjects in front of one upstream, runs a measurement, and stops the subjects. */
export async function withSubjects<Result>(
  subjects: readonly Subject[],
  upstream: Upstream,
  measure: (running: readonly Running[]) => Promise<Result>,
): Promise<Result> {
  await using started = new AsyncDisposableStack()
  const running: Running[] = []
  for (const subject of subjects) {
    const prepared = started.use(await subject.prepare(upstream))
    const one = started.use(await prepared.start())
    await checkResponses(one)
    running.push(one)
  }
  return await measure(running)
}

/** Prepares all subjects, measures them one after another, and returns the results. */
export async function eachSubject<Result>(
  subjects: readonly Subject[],
  upstream: Upstream,
  measure: (prepared: Prepared, subject: Subject) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const subject of subjects) {
    await using prepared = await subject.prepare(upstream)
    results.push(await measure(prepared, subject))
  }
  return results
}
