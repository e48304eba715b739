import * as z from "zod"
import { credits, done, identifier, moment, page, pageQuery, positiveCredits } from "./common.ts"
import { ACCOUNT_NOTICES, OPERATOR_NOTICES } from "./notice-types.ts"
import { route } from "./route.ts"

const noticeChannel = z.enum(["webhook", "slack", "email"])
const noticeType = z.enum([...ACCOUNT_NOTICES, ...OPERATOR_NOTICES])

/** A destination of notices. */
export const noticeTarget = z.object({
  id: identifier,
  /** The account; null if the target is the operator's and receives the notices of all accounts. */
  account: identifier.nullable(),
  channel: noticeChannel,
  /** The address without its secret parts, so it cannot be used to post messages. */
  address: z.string(),
  /** The types of notices to send; null means all types. */
  types: z.array(noticeType).nullable(),
  /** A notice is sent when the balance falls below this amount; null disables it. */
  balance_below: credits.nullable(),
  created_at: moment,
})
export type NoticeTarget = z.infer<typeof noticeTarget>

/** The body of `POST /admin/v1/notices/targets`. */
export const newNoticeTarget = z.object({
  /** The account; if absent, the target is the operator's. */
  account: identifier.optional(),
  channel: noticeChannel,
  /** A URL, or an email address for `email`. */
  address: z.string().min(1).max(500),
  types: z.array(noticeType).min(1).optional(),
  balance_below: positiveCredits.optional(),
})
export type NewNoticeTarget = z.output<typeof newNoticeTarget>

/** A target with the secret that verifies notices at a webhook. The secret is returned only once. */
export const noticeTargetWithSecret = noticeTarget.extend({ secret: z.string().nullable() })
export type NoticeTargetWithSecret = z.infer<typeof noticeTargetWithSecret>

/** All targets in one response, because there are few of them. */
export const noticeTargets = z.object({ object: z.literal("list"), data: z.array(noticeTarget) })
export type NoticeTargets = z.infer<typeof noticeTargets>

/** A notice, with its delivery to each target. */
export const notice = z.object({
  id: identifier,
  account: identifier.nullable(),
  type: z.string(),
  created_at: moment,
  /** The event in one sentence. */
  title: z.string(),
  data: z.record(z.string(), z.unknown()),
  deliveries: z.array(
    z.object({
      target: identifier,
      state: z.enum(["pending", "delivered", "failed"]),
      attempts: z.int(),
      /** Time of the delivery, of the last attempt before giving up, or of the next attempt. */
      at: moment,
      /** Error of the last attempt. */
      error: z.string().nullable(),
    }),
  ),
})
export type Notice = z.infer<typeof notice>
export const noticePage = page(notice)
export const noticeQuery = pageQuery.extend({ account: identifier.optional() })
export type NoticeQuery = z.output<typeof noticeQuery>
export const noticeTargetQuery = z.object({ account: identifier.optional() })

/** `/admin/v1/notices`: notices and their targets. */
export const noticeRoutes = {
  "GET /notices/targets": route({
    summary: "List the targets of notices",
    minimumRole: "owner",
    query: noticeTargetQuery,
    response: noticeTargets,
  }),
  "POST /notices/targets": route({
    summary: "Add a target of notices; only this response contains the secret of a webhook",
    minimumRole: "owner",
    body: newNoticeTarget,
    response: noticeTargetWithSecret,
  }),
  "DELETE /notices/targets/{id}": route({
    summary: "Remove a target of notices",
    minimumRole: "owner",
    response: done,
  }),
  "POST /notices/targets/{id}/test": route({
    summary: "Send a test notice to a target",
    minimumRole: "owner",
    response: done,
  }),
  "GET /notices": route({
    summary: "List sent notices, newest first, with their delivery status",
    minimumRole: "viewer",
    query: noticeQuery,
    response: noticePage,
  }),
}
