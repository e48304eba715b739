import type { SubjectName } from "../options.ts"
import type { Upstream } from "../upstream.ts"

/** Something that answers chat completions, and how it is started. */
export interface Subject {
  readonly name: SubjectName
  readonly work: Work
  /** How it is installed where it is not; absent for what is part of this project. */
  readonly installation?: Installation
  /** Why it cannot be measured here, and how to change that; undefined when it can. */
  missing(): string | undefined
  /** Asked only when it is not missing. */
  version(): string
  /** Prepares what is done once: an account, a settings file. */
  prepare(upstream: Upstream): Promise<Prepared>
}

/** What a subject does for a request besides passing it on, as it is set up here. */
export interface Work {
  readonly language: string
  /** Who may call. */
  readonly auth: string
  readonly money: string
  /** What is on disk before the caller has the whole answer. */
  readonly durability: string
  /** What is kept or written of each request. */
  readonly log: string
}

/** How a subject gets into the peers' folder. */
export interface Installation {
  /** Programs that have to be there before. */
  readonly needs: readonly string[]
  /** Run one after the other in the given folder, which is the subject's own. */
  commands(folder: string): readonly (readonly string[])[]
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
  /** Where it takes Anthropic's messages, if not at the vendor's own path. */
  readonly messagesPath?: string
  readonly headers: Readonly<Record<string, string>>
  /** What the subject calls the simulator's model. */
  model(name: string): string
}

/** The path of chat completions at all of them. */
export const CHAT_PATH = "/v1/chat/completions"

/** The vendor itself, without anyone between. */
export function directTo(upstream: Upstream): Address & { readonly name: "direct" } {
  return {
    name: "direct",
    port: upstream.port,
    path: CHAT_PATH,
    headers: { authorization: "Bearer upstream" },
    model: (name) => name,
  }
}
