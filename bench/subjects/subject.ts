import type { SubjectName } from "../options.ts"
import type { Upstream } from "../upstream.ts"

/** A server for chat completions, and its setup. */
export interface Subject {
  readonly name: SubjectName
  readonly work: Work
  /** Its installation if it is missing; absent for a part of this project. */
  readonly installation?: Installation
  /** Returns the reason why it cannot be measured here, with the remedy; undefined if it can. */
  missing(): string | undefined
  /** Only called if it is installed. */
  version(): string
  /** Prepares things that are needed once: an account, a settings file. */
  prepare(upstream: Upstream): Promise<Prepared>
}

/** The work of a subject for a request besides forwarding it, in this setup. */
export interface Work {
  readonly language: string
  /** The authentication of callers. */
  readonly auth: string
  readonly money: string
  /** The data on disk before the caller has the whole answer. */
  readonly durability: string
  /** The stored or written record of each request. */
  readonly log: string
}

/** The installation of a subject in the peers' folder. */
export interface Installation {
  /** Programs that must be installed before. */
  readonly needs: readonly string[]
  /** Commands that run one after the other in the subject's own folder. */
  commands(folder: string): readonly (readonly string[])[]
}

/** A subject that can be started, more than once, in front of one upstream. */
export interface Prepared extends AsyncDisposable {
  /** Starts it and waits until it answers. */
  start(): Promise<Running>
}

/** A subject that is being measured. */
export interface Running extends AsyncDisposable, Address {
  /** The subject, or the measured part of it. */
  readonly name: string
  /** The process; it may have child processes. */
  readonly process: number
  /** Milliseconds from the start of the process until its first answer. */
  readonly startTime: number
  /** Start time, on the clock of `performance.now()`. */
  readonly startedAt: number
}

/** The address and the model of chat completions. */
export interface Address {
  readonly port: number
  readonly path: string
  /** The path of Anthropic's messages, if it is not the vendor's own. */
  readonly messagesPath?: string
  readonly headers: Readonly<Record<string, string>>
  /** Returns the subject's name for the simulator's model. */
  model(name: string): string
}

/** The path of chat completions at all subjects. */
export const CHAT_PATH = "/v1/chat/completions"

/** Returns the address of the vendor itself, without a gateway. */
export function directTo(upstream: Upstream): Address & { readonly name: "direct" } {
  return {
    name: "direct",
    port: upstream.port,
    path: CHAT_PATH,
    headers: { authorization: "Bearer upstream" },
    model: (name) => name,
  }
}
