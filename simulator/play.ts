import type { Exchange } from "./exchange.ts"
import { faultOfHeaders, faultOfModel, type Fault } from "./faults.ts"
import { bodyOf, bodySteps } from "./stream.ts"

/**
 * Returns the fault to inject now, or "unknown" if the header names an unknown fault. For a flaky fault, failures are
 * counted by marker. After the last failure, no fault is returned.
 */
export function dueFault(
  exchange: Exchange,
  model: string,
  marker: string,
): Fault | "unknown" | undefined {
  const asked = faultOfHeaders(exchange.headers)
  if (asked === null) return "unknown"
  const fault = asked ?? faultOfModel(model)
  if (fault?.name !== "flaky") return fault
  return exchange.state.flaky.failsNow(fault, marker) ? fault : undefined
}

/** Returns the body of a response that is not streamed, and injects its fault. Ends the exchange. */
export function wholeBody(
  exchange: Exchange,
  text: string,
  fault: Fault | undefined,
): string | ReadableStream {
  switch (fault?.name) {
    case "cut":
    case "stall":
    case "slow-first-byte":
      return bodyOf(exchange, bodySteps(text, fault))
    case "malformed":
      exchange.finish()
      return text.slice(0, Math.ceil(text.length / 2))
    default:
      exchange.finish()
      return text
  }
}
