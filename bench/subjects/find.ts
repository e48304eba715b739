import { reasonOf } from "../load/ask.ts"
import type { SubjectName } from "../options.ts"
import type { Upstream } from "../upstream.ts"
import { SUBJECTS } from "./index.ts"
import type { Running, Subject } from "./subject.ts"

/** The subjects that can be measured on this machine, and the reasons why others cannot. */
export interface Found {
  readonly subjects: readonly Subject[]
  readonly missing: Readonly<Record<string, string>>
}

/** Tries the requested subjects. Each must start and pass the check of its responses. */
export async function findSubjects(
  names: readonly SubjectName[],
  upstream: Upstream,
  check: (running: Running) => Promise<unknown>,
): Promise<Found> {
  const subjects: Subject[] = []
  const missing: Record<string, string> = {}
  for (const subject of names.map((name) => SUBJECTS[name])) {
    const reason = subject.missing() ?? (await tryOut(subject, upstream, check))
    if (reason === undefined) subjects.push(subject)
    else missing[subject.name] = reason
    process.stderr.write(`${subject.name}: ${reason ?? subject.version()}\n`)
  }
  return { subjects, missing }
}

async function tryOut(
  subject: Subject,
  upstream: Upstream,
  check: (running: Running) => Promise<unknown>,
): Promise<string | undefined> {
  try {
    await using prepared = await subject.prepare(upstream)
    await using running = await prepared.start()
    await check(running)
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}
