/** A job for a thread. One thread gets one at a time. */
export interface JobCommand {
  readonly id: number
  readonly name: string
  readonly input: unknown
}

/** `started`: the code of the job is loaded, and its time runs from now on. */
export type JobReply =
  | { readonly id: number; readonly state: "started" }
  | { readonly id: number; readonly state: "done"; readonly result: unknown }
  | { readonly id: number; readonly state: "failed" }
