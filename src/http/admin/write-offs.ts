import { writeOffRoutes } from "#contract/write-offs.ts"
import type { WriteOffs } from "../../management/write-offs.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/write-offs`: what requests cost and was not charged. */
export function writeOffEndpoints({
  writeOffs,
}: {
  readonly writeOffs: WriteOffs
}): AdminEndpoint[] {
  return endpoints(writeOffRoutes, {
    "GET /write-offs": ({ actor, query }) => writeOffs.list(actor, query),
  })
}
