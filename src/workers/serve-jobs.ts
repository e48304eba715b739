import type { JobCommand, JobReply } from "./job-messages.ts"

/** The function that performs a job. Its input comes from a module of the gateway, so its type is not checked again. */
type Work = (input: never) => unknown

/** Functions that load the code of a job when it is first used. */
export type Jobs = Readonly<Record<string, () => Promise<Work>>>

declare const self: Worker

/** Runs jobs on this thread, for a `WorkerPool`. */
export function serveJobs(jobs: Jobs): void {
  self.addEventListener("message", ({ data }: MessageEvent<JobCommand>) => {
    void serve(jobs, data)
  })
}

async function serve(jobs: Jobs, { id, name, input }: JobCommand): Promise<void> {
  try {
    const work = await jobs[name]?.()
    if (work === undefined) throw new Error(`no job is named ${name}`)
    reply({ id, state: "started" })
    reply({ id, state: "done", result: await work(input as never) })
  } catch {
    // The reason is omitted, because the caller uses a safe bound after any failure.
    reply({ id, state: "failed" })
  }
}

function reply(message: JobReply): void {
  self.postMessage(message)
}
