import type { Exchange } from "./exchange.ts"
import type { Fault } from "./faults.ts"

const PAGE =
  "<!DOCTYPE html>\n<html><head><title>Just a moment...</title></head><body></body></html>\n"

/**
 * Injects faults that are independent of the wire format. Returns undefined if the request continues, because the fault
 * is of another kind or has ended.
 */
export async function playTransportFault(
  exchange: Exchange,
  fault: Fault,
): Promise<Response | undefined> {
  switch (fault.name) {
    case "slow-headers":
      exchange.watch()
      await exchange.wait(fault.amount)
      // The client has disconnected, but Bun requires a response.
      return exchange.gone ? new Response(null, { status: 499 }) : undefined
    case "html":
      exchange.finish()
      return new Response(PAGE, { headers: { "content-type": "text/html; charset=utf-8" } })
    case "empty":
      exchange.finish()
      return new Response("", { headers: { "content-type": "application/json" } })
    case "redirect":
      exchange.finish()
      return new Response(null, { status: 302, headers: { location: "/v1/elsewhere" } })
    default:
      return undefined
  }
}
