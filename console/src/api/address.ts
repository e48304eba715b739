import { type AnyInput, type Input, pathOf, type RouteName } from "tollgate-contract/client.ts"
import { gatewayPath } from "../base-path.ts"

/** Returns the address of a route with its query. Undefined values are omitted. */
export function addressOf<Name extends RouteName>(name: Name, input: Input<Name>): string {
  return addressWith(name, input)
}

/** Like `addressOf`, but without types, for code that serves all routes. */
export function addressWith(name: RouteName, input: AnyInput): string {
  const search = new URLSearchParams()
  for (const [member, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== "") search.set(member, String(value))
  }
  const text = search.toString()
  const path = gatewayPath(`/admin/v1${pathOf(name, input)}`)
  return text === "" ? path : `${path}?${text}`
}
