import * as z from "zod"
import type { SixUpstreams, Upstream } from "./six-upstreams.ts"

/** Options of an answer that a client requests. */
export interface AnswerOptions {
  readonly isStreamed: boolean
  /** Both tools are offered. */
  readonly hasTools?: boolean
  /** The model is to think, and to show it where it can. */
  readonly thinks?: boolean
  /** The answer is to be a `Thing`. */
  readonly isThing?: boolean
  readonly maxTokens?: number
  readonly stop?: string
}

/** What the user says. */
export interface Said {
  readonly text: string
  /** A data URL or a web address. */
  readonly image?: string
  /** Instructions, with a mark behind them that they are worth caching where the client has one. */
  readonly instructions?: string
}

/** Tokens as a client tells them in its own fields; absent where it has none. */
export interface ClientUsage {
  /** All of them, cached ones included. */
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly reasoning?: number
}

/** An answer as the client's caller reads it. */
export interface Answer {
  readonly text: string
  readonly thoughts: string
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  /** Why it ended, in the client's own word. */
  readonly finish: string
  readonly usage: ClientUsage
  /** The model's name, as the answer tells it. */
  readonly model: string
  /** Set by clients that parse structured output themselves. */
  readonly thing?: unknown
}

/** A conversation that a client holds. It sends back what it got, as it got it. */
export interface Conversation {
  say(model: string, said: Said, options: AnswerOptions): Promise<Answer>
  /** Answers the calls of the last answer, in their order. */
  answerCalls(model: string, results: readonly string[], options: AnswerOptions): Promise<Answer>
}

/** What a client calls the ways in which an answer ends. */
export interface FinishWords {
  readonly stop: string
  readonly length: string
  readonly calls: string
  /** Ended by a stop string. */
  readonly stopString: string
}

/** What goes wrong: at the vendor, or with the model's name. */
export const FAILURES = ["429", "500", "401", "unknown"] as const

export type Failure = (typeof FAILURES)[number]

/** An error as a client throws it. */
export interface ExpectedError {
  readonly type: abstract new (...parts: never[]) => Error
  readonly status: number
  /** What the client has its callers branch on: a code or a type. */
  readonly word: string
}

/** An official client, and what it can express. */
export interface TestedClient {
  readonly name: string
  readonly finishes: FinishWords
  /** It has a field for stop strings. */
  readonly hasStop: boolean
  /** It can say up to where a prompt is to be cached. */
  readonly marksCache: boolean
  /** It asks for structured output as such; else it makes a tool of it. */
  readonly asksForSchema: boolean
  /** It shows the model's thoughts. */
  readonly showsThoughts: boolean
  /** What an image by its address is to an upstream, where it is not what it is for every client. */
  readonly imagesByUrl?: Readonly<Partial<Record<Upstream, string>>>
  /** It sends an upstream's reasoning back with what proves it. */
  returnsSignatures(upstream: Upstream, isStreamed: boolean): boolean
  begin(upstreams: SixUpstreams): Conversation
  /** Has an answer streamed, reads three chunks of it, and leaves. */
  leave(upstreams: SixUpstreams, model: string, text: string): Promise<void>
  readonly errors: Readonly<Record<Failure, ExpectedError>>
  /** What it throws at a stream that breaks. */
  readonly brokenStream: ExpectedError["type"]
  readError(error: unknown): Pick<ExpectedError, "status" | "word">
}

/** How much of an answer is read before the caller leaves. */
export const CHUNKS_READ = 3

/** Two tools, one of them without parameters (docs/wire/README.md#f3). */
export const TOOLS = [
  {
    name: "weather",
    description: "How the weather is in a city.",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
  {
    name: "clock",
    description: "What time it is.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
  },
] as const

/** What the simulator's models call when both tools are named. */
export const CALLS = [
  { name: "weather", input: { city: "city" } },
  { name: "clock", input: {} },
] as const

/** What structured output is asked for. */
export const Thing = z.object({ name: z.string(), count: z.number() })
