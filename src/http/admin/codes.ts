import type { Codes } from "../../management/codes.ts"
import { code, codePage, codeQuery, codeWithText, newCode } from "tollgate-contract/codes.ts"
import { type Endpoint, endpoint } from "./endpoint.ts"

/** `/admin/v1/codes`: what gives credits to whoever types it. */
export function codeEndpoints({ codes }: { readonly codes: Codes }): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/codes",
      summary: "All codes, without their text",
      least: "operator",
      query: codeQuery,
      answer: codePage,
      handle: ({ actor, query }) => codes.list(actor, query),
    }),
    endpoint({
      method: "POST",
      path: "/codes",
      summary: "Make a code; its text is in the answer, this once",
      least: "operator",
      body: newCode,
      answer: codeWithText,
      handle: ({ actor, body }) => codes.create(actor, body),
    }),
    endpoint({
      method: "POST",
      path: "/codes/{id}/revoke",
      summary: "End a code; what it has given stays",
      least: "operator",
      answer: code,
      handle: ({ actor, path }) => codes.revoke(actor, path.id),
    }),
  ]
}
