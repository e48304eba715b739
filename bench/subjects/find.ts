import { checkAnswers } from "../load/check-answer.ts"
import type { SubjectName } from "../options.ts"
import { startUpstream, type Upstream } from "../upstream.ts"
import { SUBJECTS } from "./index.ts"
import type { Subject } from "./subject.ts"

/** The subjects that can be measured here, and why the others cannot. */
export interface Found {
  readonly subjects: readonly Subject[]
  readonly missing: Readonly<Record<string, string>>
}

/** Tries those that were asked for: each has to give a whole answer and a whole stream. */
export async function findSubjects(names: readonly SubjectName[]): Promise<Found> {
  await using upstream = await startUpstream(0)
  const subjects: Subject[] = []
  const missing: Record<string, string> = {}
  for (const subject of names.map((name) => SUBJECTS[name])) {
    const reason = subject.missing() ?? (await tryOut(subject, upstream))
    if (reason === undefined) subjects.push(subject)
    else missing[subject.name] = reason
  }
  return { subjects, missing }
}

async function tryOut(subject: Subject, upstream: Upstream): Promise<string | undefined> {
  try {
    await using prepared = await subject.prepare(upstream)
    await using running = await prepared.start()
    await checkAnswers(running)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
