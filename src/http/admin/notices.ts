import { noticeRoutes } from "#contract/notices.ts"
import type { NoticeManagement } from "../../management/notices.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

const OK = { ok: true } as const

/** `/admin/v1/notices`: what people are told of, and where. */
export function noticeEndpoints({
  notices,
}: {
  readonly notices: NoticeManagement
}): AdminEndpoint[] {
  return endpoints(noticeRoutes, {
    "GET /notices/targets": ({ actor, query }) => notices.targets(actor, query.account),
    "POST /notices/targets": ({ actor, body }) => notices.add(actor, body),
    "DELETE /notices/targets/{id}": async ({ actor, path }) => {
      await notices.remove(actor, path("id"))
      return OK
    },
    "POST /notices/targets/{id}/test": async ({ actor, path }) => {
      await notices.test(actor, path("id"))
      return OK
    },
    "GET /notices": ({ actor, query }) => notices.list(actor, query),
  })
}
