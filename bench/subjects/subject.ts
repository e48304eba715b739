import type { SubjectName } from "../options.ts"
import type { Upstream } from "../upstream.ts"

/** Something that answers chat completions, and how it is started. */
export interface Subject {
  readonly name: SubjectName
  /** Why it cannot be measured here, and how to change that; undefined when it can. */
  missing(): string | undefined
  /** Prepares what is done once: an account, a settings file. */
  prepare(upstream: Upstream): Promise<Prepared>
}

/** A subject that can be started, more than once, in front of one upstream. */
export interface Prepared extends AsyncDisposable {
  /** Starts it and waits until it answers. */
  start(): Promise<Running>
}

/** A subject that is being measured. */
export interface Running extends AsyncDisposable, Address {
  /** The subject, or what of it is measured. */
  readonly name: string
  /** The process; it may have started others. */
  readonly process: number
  /** Milliseconds from the start of the process until it first answered. */
  readonly startTime: number
  /** When it was started, on the clock of `performance.now()`. */
  readonly startedAt: number
}

/** Where and how to ask for a chat completion. */
export interface Address {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** What the subject calls the simulator's model. */
  model(name: string): string
}

/** The path of chat completions at all of them. */
export const CHAT_PATH = "/v1/chat/completions"
