import { GatewayError } from "../canon/errors.ts"
import type { Actor } from "./actor.ts"

/**
 * Requires that the actor may see providers if a query names a provider or groups by providers.
 * @param parameter the query parameter that concerns providers; undefined if there is none.
 * @throws GatewayError `forbidden`.
 */
export function requireProviderVisibility(actor: Actor, parameter: string | undefined): void {
  if (parameter === undefined || actor.hidesCosts !== true) return
  throw new GatewayError("forbidden", "Only operators of this gateway see its providers.", {
    parameter,
  })
}
