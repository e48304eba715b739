import type { Exchange } from "./exchange.ts"
import type { Fault } from "./faults.ts"

/** One unit of a stream: text, or bytes if the format is binary. */
export type Frame = string | Uint8Array

/** The frames of a streamed response, divided into the parts that faults distinguish. */
export interface StreamScript {
  readonly opening: readonly Frame[]
  /** The content, one frame per token. */
  readonly body: Iterable<Frame>
  /** The frames with the finish reason and the usage. */
  readonly closing: readonly Frame[]
  /** The end marker of the format; empty for a format without an end marker. */
  readonly end: Frame
  /** The error of the format after a response has begun. Some formats number their frames. */
  readonly errorFrame: Frame | ((framesBefore: number) => Frame)
  /** A frame with broken JSON. */
  readonly brokenFrame: Frame
  /** A frame without content, for the fault `comments`. Defaults to an SSE comment. */
  readonly idleFrame?: Frame
}

/** Bytes to write, a time to wait in milliseconds, or the instruction to cut the connection. */
export type Step = Frame | { readonly wait: number } | "cut-now"

const CUT: Step = "cut-now"
// Delay before a stream fails. Bun drops buffered data when a stream fails, so written data gets time to
// be sent. Turns of the event loop are awaited as well, because on a busy machine the time may pass before the loop has
// turned once.
const CUT_DELAY_MS = 15
const CUT_TURNS = 5
// Written first, because Bun sends the response headers only with the first byte of the body. An SSE reader ignores an
// empty line, and for a JSON reader it is white space.
const FIRST_BYTE = "\n"
const SSE_COMMENTS = ': PROCESSING\n\ndata: {"type":"keepalive"}\n\n'
// Number of frames written per turn of the event loop. It is small enough to detect a disconnect soon, and large enough
// to cost almost nothing.
const FRAMES_PER_TURN = 64

/** Yields the steps of a streamed response, including its fault. */
export function* streamSteps(
  script: StreamScript,
  cadence: number,
  fault: Fault | undefined,
): Generator<Step> {
  if (fault === undefined || isHarmless(fault)) {
    yield* script.opening
    yield* cadence > 0 ? paced(script.body, cadence) : script.body
    yield* script.closing
    if (script.end !== "") yield script.end
    return
  }
  const crlf = fault.name === "crlf"
  for (const step of faultySteps(script, cadence, fault)) {
    yield crlf && typeof step === "string" ? step.replaceAll("\n", "\r\n") : step
  }
}

function isHarmless(fault: Fault): boolean {
  return /^(flaky|slow-headers|.*-usage|echo-headers)$/.test(fault.name)
}

function* paced(body: Iterable<Frame>, cadence: number): Generator<Step> {
  for (const frame of body) {
    yield frame
    yield { wait: cadence }
  }
}

function* faultySteps(script: StreamScript, cadence: number, fault: Fault): Generator<Step> {
  const tokens = [...script.body]
  const middle = Math.ceil(tokens.length / 2)
  if (fault.name === "slow-first-byte") yield* slowOpening(script.opening, fault.amount)
  else yield* script.opening
  if (fault.name === "opening-error") {
    yield errorFrameOf(script, script.opening.length)
    return
  }
  const idle = fault.name === "comments" ? (script.idleFrame ?? SSE_COMMENTS) : ""
  yield* paced(interspersed(tokens.slice(0, middle), idle), cadence)
  yield* middleSteps(script, fault, script.opening.length + middle)
  if (fault.name === "cut" || fault.name === "stream-error") return
  yield* paced(interspersed(tokens.slice(middle), idle), cadence)
  if (fault.name === "no-finish") return
  yield* script.closing
  if (script.end !== "" && fault.name !== "no-done") yield script.end
}

/** Binary formats have no byte that a reader ignores, so the rest of their first frame is delayed. */
function* slowOpening(opening: readonly Frame[], wait: number): Generator<Step> {
  const [first, ...rest] = opening
  const isBinary = first instanceof Uint8Array
  yield isBinary ? first.subarray(0, 1) : FIRST_BYTE
  yield { wait }
  if (first !== undefined) yield isBinary ? first.subarray(1) : first
  yield* rest
}

function* middleSteps(script: StreamScript, fault: Fault, framesBefore: number): Generator<Step> {
  switch (fault.name) {
    case "cut":
      yield CUT
      return
    case "stall":
      yield { wait: fault.amount }
      return
    case "malformed":
      yield script.brokenFrame
      return
    case "stream-error":
      yield errorFrameOf(script, framesBefore)
      return
    default:
  }
}

function errorFrameOf({ errorFrame }: StreamScript, framesBefore: number): Frame {
  return typeof errorFrame === "function" ? errorFrame(framesBefore) : errorFrame
}

/** Yields an idle frame before each token (docs/contribute/wire/README.md#f1). */
function* interspersed(tokens: Iterable<Frame>, idle: Frame): Generator<Frame> {
  for (const token of tokens) {
    if (idle !== "") yield idle
    yield token
  }
}

/** Returns the steps of a response that is not streamed, including faults that cut the response off. */
export function bodySteps(text: string, fault: Fault): Step[] {
  const middle = Math.ceil(text.length / 2)
  switch (fault.name) {
    case "cut":
      return [text.slice(0, middle), CUT]
    case "stall":
      return [text.slice(0, middle), { wait: fault.amount }, text.slice(middle)]
    case "slow-first-byte":
      return [FIRST_BYTE, { wait: fault.amount }, text]
    default:
      return [text]
  }
}

/**
 * Returns a body that writes the steps to the client, flushing after each frame, as fast as the socket accepts them.
 * The exchange ends as finished, as cut off, or as aborted if the client disconnects.
 */
export function bodyOf(exchange: Exchange, steps: Iterable<Step>): ReadableStream {
  return new ReadableStream({
    type: "direct",
    pull: (controller) => pump(exchange, steps, controller),
    cancel: () => exchange.abort(),
  })
}

async function pump(
  exchange: Exchange,
  steps: Iterable<Step>,
  controller: ReadableStreamDirectController,
): Promise<void> {
  // Until its first turn, Bun would collect the written data and send it as one chunk.
  await Promise.resolve()
  let frames = 0
  for (const step of steps) {
    if (exchange.gone) return
    if (step === CUT) {
      await exchange.wait(CUT_DELAY_MS)
      for (let turn = 0; turn < CUT_TURNS; turn++) await nextTurn()
      if (exchange.gone) return
      exchange.breakOff()
      controller.close(new Error("cut on purpose"))
      return
    }
    if (typeof step === "object" && "wait" in step) {
      await exchange.wait(step.wait)
      continue
    }
    // With back-pressure, each result may be a promise. Bun resolves it when the client disconnects.
    const written = controller.write(step)
    if (typeof written !== "number") await written
    const flushed = controller.flush()
    if (typeof flushed !== "number") await flushed
    if (++frames % FRAMES_PER_TURN === 0) await nextTurn()
  }
  if (exchange.gone) return
  controller.close()
  exchange.finish()
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
