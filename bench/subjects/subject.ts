import type { SubjectName } from "../options.ts"
import type { Upstream } from "../upstream.ts"

/** A server for chat completions, and its setup. */
export interface Subject {
  readonly name: SubjectName
  readonly work: Work
  /** How the subject is installed; absent for a part of this project. */
  readonly installation?: Installation
  /** Returns the reason why the subject cannot be measured on this machine, with the remedy; undefined if it can. */
  missing(): string | undefined
  /** Returns the version. Called only if the subject is installed. */
  version(): string
  /** Prepares everything that is needed once, such as an account or a settings file. */
  prepare(upstream: Upstream): Promise<Prepared>
}

/** The work that a subject in this setup does for a request, in addition to forwarding it. */
export interface Work {
  readonly language: string
  /** How callers are authenticated. */
  readonly auth: string
  readonly money: string
  /** The data that is on disk before the caller receives the complete response. */
  readonly durability: string
  /** The record of each request that is stored or logged. */
  readonly log: string
}

/** How a subject is installed in the folder of the peers. */
export interface Installation {
  /** Names of programs that must already be installed. */
  readonly needs: readonly string[]
  /** Returns the commands that run one after another in the subject's own folder. */
  commands(folder: string): readonly (readonly string[])[]
}

/** A prepared subject, which can be started several times in front of one upstream. */
export interface Prepared extends AsyncDisposable {
  /** Starts the subject and waits until it answers. */
  start(): Promise<Running>
}

/** A subject that is being measured. */
export interface Running extends AsyncDisposable, Address {
  /** The name of the subject, or of the variant that is measured. */
  readonly name: string
  /** The process id. The process may have child processes. */
  readonly process: number
  /** Milliseconds from the start of the process until its first response. */
  readonly startTime: number
  /** Start time on the clock of `performance.now()`. */
  readonly startedAt: number
}

/** The address of a subject and its name for the model. */
export interface Address {
  readonly port: number
  readonly path: string
  /** The path of Anthropic's messages, if it differs from the path of the vendor. */
  readonly messagesPath?: string
  readonly headers: Readonly<Record<string, string>>
  /** Returns the name that the subject uses for a model of the simulator. */
  model(name: string): string
}

/** The path of chat completions, which is the same for all subjects. */
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
