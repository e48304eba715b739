import { headOf, type SoundResponse } from "./sound-response.ts"

/** A step on a connection: writing bytes, waiting, or ending the connection. */
export type Step = string | Buffer | { readonly wait: number } | "reset" | "close"

/**
 * The effect of a fault on a reader that follows the standards. `none`: the fault has no effect. `before`: the response
 * fails before it has begun. `midway`: the response may be cut off after a part was delivered.
 */
export type Effect = "none" | "before" | "midway"

/** A fault on the wire. */
export interface WireFault {
  readonly name: string
  readonly effect: Effect
  /** The fault that the simulator injects. The steps on the connection are then the steps of a correct response. */
  readonly simulated?: string
  /** Returns the steps. The connection stays open after the last step, unless that step ends it. */
  readonly play?: (response: SoundResponse) => Iterable<Step>
  /** Whether the message is correct, including content whose format is not read, such as audio. */
  readonly isSoundMessage?: boolean
}

/** Performs steps that differ from those of the correct response. */
export function instead(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): (response: SoundResponse) => Step[] {
  const lines = Object.entries({ "content-type": "application/json", ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  const length = `content-length: ${Buffer.byteLength(body)}\r\n`
  return () => [`HTTP/1.1 ${status} Whatever\r\n${head}${length}\r\n${body}`]
}

/** Sends the same bytes without an end. */
export function* endless(start: Step, portion: Buffer): Generator<Step> {
  yield start
  for (;;) yield portion
}

/** Returns a response that is compressed without having been requested. */
export function packed(response: SoundResponse, bytes: Buffer): Buffer {
  const head = headOf(response, { length: bytes.length }, { "content-encoding": "gzip" })
  return Buffer.concat([Buffer.from(head), bytes])
}
