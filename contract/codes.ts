import * as z from "zod"
import { credits, identifier, label, moment, page, pageQuery, positiveCredits } from "./common.ts"
import { route } from "./route.ts"

/** A code that grants credits, once to each account. */
export const code = z.object({
  id: identifier,
  /** The last characters of the code. Only a hash of the code is stored. */
  hint: z.string(),
  note: z.string().nullable(),
  credits,
  uses: z.int(),
  used: z.int(),
  status: z.enum(["active", "used_up", "expired", "revoked"]),
  created_at: moment,
  expires_at: moment.nullable(),
  author: z.string().nullable(),
})
export type Code = z.infer<typeof code>
export const codePage = page(code)
export const codeQuery = pageQuery

export const newCode = z.object({
  credits: positiveCredits,
  uses: z.int().min(1).max(1_000_000).default(1),
  expires_at: moment.nullable().optional(),
  note: label.nullable().optional(),
})
export type NewCode = z.infer<typeof newCode>

/**
 * The body of `POST /admin/v1/codes/batch`, which creates several codes with the same settings, such as one for each
 * guest. Either all codes are created, or no code.
 */
export const newCodes = newCode.extend({ count: z.int().min(2).max(1_000) })
export type NewCodes = z.infer<typeof newCodes>

/** A code with its text. Only this response contains the text. `POST /admin/v1/codes/{id}/revoke` revokes a code. */
export const codeWithText = code.extend({ code: z.string() })
export type CodeWithText = z.infer<typeof codeWithText>

const codesWithText = z.object({ object: z.literal("list"), data: z.array(codeWithText) })

/** `/admin/v1/codes`: codes that accounts redeem for credits. */
export const codeRoutes = {
  "GET /codes": route({
    summary: "List the codes, without their texts",
    minimumRole: "operator",
    query: codeQuery,
    response: codePage,
  }),
  "POST /codes": route({
    summary: "Create a code; only this response contains its text",
    minimumRole: "operator",
    body: newCode,
    response: codeWithText,
  }),
  "POST /codes/batch": route({
    summary:
      "Create several codes with the same properties; only this response contains their texts",
    minimumRole: "operator",
    body: newCodes,
    response: codesWithText,
  }),
  "POST /codes/{id}/revoke": route({
    summary: "Revoke a code; redeemed credits remain",
    minimumRole: "operator",
    response: code,
  }),
}
