import { writeOffPage, writeOffQuery } from "tollgate-contract/write-offs.ts"
import type { WriteOffs } from "../../management/write-offs.ts"
import { type Endpoint, endpoint } from "./endpoint.ts"

/** `/admin/v1/write-offs`: what requests cost and was not charged. */
export function writeOffEndpoints({ writeOffs }: { readonly writeOffs: WriteOffs }): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/write-offs",
      summary: "What requests cost that was not charged, and why, newest first",
      least: "operator",
      query: writeOffQuery,
      answer: writeOffPage,
      handle: ({ actor, query }) => writeOffs.list(actor, query),
    }),
  ]
}
