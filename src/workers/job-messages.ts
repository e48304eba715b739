/** A job for a thread. A thread gets only one job at a time. */
export interface JobCommand {
  readonly id: number
  readonly name: string
  readonly input: unknown
}

/** A thread's reply. `started` means that the code of the job is loaded and its deadline starts now. */
export type JobReply =
  | { readonly id: number; readonly state: "started" }
  | { readonly id: number; readonly state: "done"; readonly result: unknown }
  | { readonly id: number; readonly state: "failed" }
